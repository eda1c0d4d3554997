// Templates are checked at the browser: what they hold is any value.
declare const htm: { bind(h: unknown): (strings: TemplateStringsArray, ...values: any[]) => any };
export default htm;
