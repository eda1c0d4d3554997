// Types of the table screen's own: what it adds to those of the house.
declare namespace Own {
  type App = import("../../../backoffice/static/backoffice/table/app.js").App;
  type Layout = Partial<House.Screen>;
  interface State extends Omit<House.ScreenState, "layout"> {
    layout: House.Screen | null;
  }

  interface Action {
    type: string;
    data: Record<string, any>;
    corrects?: string;
  }
  interface Tap {
    actions: Action[];
    session: string;
    mode: string;
    intent: string;
    queued: boolean;
    time: string;
    tap?: number;
    isSigned?: boolean;
  }
  /** An entry of the queue: without a number until it is signed. */
  interface Entry {
    seq: number | null;
    actions: Action[];
    queued: boolean;
    time: string;
    body?: string;
    signature?: string;
    digest?: string;
    position?: number;
    isSent?: boolean;
    isAnswered?: boolean;
    isAccepted?: boolean;
    isShown?: boolean;
    /** Its tap, what was tapped, and the promise of its number. */
    tap?: number;
    tapped?: Tap;
    tapNumber?: Promise<number>;
  }
  interface Device {
    name: "device";
    id: string;
    table: string;
    keys: CryptoKeyPair;
    seq: number;
    digest: string;
    /** How often a tab of the device has taken the pen. */
    pen?: number;
  }
  /** The device's record and its entries at one moment. */
  interface Contents {
    device: Device | undefined;
    entries: Array<Entry & { seq: number; body: string }>;
  }
  interface Relief {
    session: string;
    role: string;
    person?: string;
    name?: string;
    role_label?: string;
  }

  type Bet = Pick<House.Lying, "bet" | "amount_minor" | "wager" | "player"> & Partial<House.Lying> & {
    /** Of a bet that was tapped since the state: whether it has no answer. */
    isPending?: boolean;
    isNew?: boolean;
    isLeaving?: boolean;
    spot?: [number, number] | null;
    [field: string]: any; // of its action's data
  };
  type Stake = Partial<House.Lying> & { player: string };
  type Seat = Pick<House.SeatView, "seat" | "player"> & Partial<House.SeatView>;
  type Place = House.Place & { seat?: Seat | null; key?: string };
  type Pad = Pick<House.Pad, "kind"> & Partial<House.Pad>;
  type Step = Pick<House.StepView, "do" | "label"> & Partial<Omit<House.StepView, "asks" | "size">> & {
    asks?: Array<string | Pad>;
    size?: House.StepView["size"];
    number?: number;
    block?: number;
    after?: House.Earlier | null;
    isPending?: boolean;
    event?: string;
    corrects?: boolean;
  };

  type Typing = Event & { target: HTMLInputElement };

  interface Open {
    step: Step;
    pads: Pad[];
    data: Record<string, any>;
    intent?: string;
    touched: Set<string>;
  }
  interface Sheet {
    name: string;
    [about: string]: any;
  }
  interface Notice {
    message: string;
    time?: string;
    clause?: string | null;
    source?: string | null;
    isRefusal?: boolean;
    actions?: Action[];
    queued?: boolean;
  }
}
