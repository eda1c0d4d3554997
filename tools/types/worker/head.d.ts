// Written by the house before the text of the service worker.
declare const VERSION: string;
declare const FILES: string[];
