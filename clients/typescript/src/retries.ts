// Retries: what may safely be sent again is, after as long as the server asks for.
//
// Every request that writes carries an idempotency key, so that its repetition has the effect of one request, also when
// an answer never arrived. A refusal means that nothing was changed, so 429 and 503 are tried again, too.

import { ConnectionFailed, errorOf } from "./errors.js";

export const IDEMPOTENCY_KEY = "Idempotency-Key";
const BUSY = [429, 503];
const LOST = [502, 504]; // a proxy's: the server may have done it
const IN_PROGRESS = 409; // with Retry-After: an earlier request with this idempotency key is still running
const READS = ["GET", "HEAD"];

export interface Retries {
  /** How often to try, including the first time. */
  tries: number;
  /** Seconds before the second try, unless the server says otherwise; each further wait is twice as long. */
  firstWait: number;
  /** If the server asks for a longer wait, in seconds, its error is thrown. */
  longestWait: number;
}

export const RETRIES: Retries = { tries: 5, firstWait: 0.5, longestWait: 60 };
type Fetch = (request: Request) => Promise<Response>;

/** A fetch that retries what can safely be repeated, and throws errors. */
export function retrying(retries: Retries, send: Fetch): Fetch {
  return async (request) => {
    if (!READS.includes(request.method) && !request.headers.has(IDEMPOTENCY_KEY)) {
      request.headers.set(IDEMPOTENCY_KEY, crypto.randomUUID());
    }
    for (let tried = 1; ; tried += 1) {
      const outcome = await sent(request.clone(), send);
      const seconds = tried < retries.tries ? pause(retries, outcome, tried) : undefined;
      if (seconds === undefined) return checked(request, outcome);
      await wait(seconds, request.signal);
    }
  };
}

class Lost {
  constructor(readonly cause: unknown) {}
}

async function sent(request: Request, send: Fetch): Promise<Response | Lost> {
  try {
    return await send(request);
  } catch (cause) {
    if (request.signal.aborted) throw cause;
    return new Lost(cause);
  }
}

async function checked(request: Request, outcome: Response | Lost): Promise<Response> {
  if (outcome instanceof Lost) {
    const message = `No response from ${new URL(request.url).host}.`;
    throw new ConnectionFailed(message, request.headers.get(IDEMPOTENCY_KEY), outcome.cause);
  }
  if (outcome.ok) return outcome;
  throw await errorOf(outcome);
}

/** The seconds to wait before the next try; undefined when there is none. */
function pause(retries: Retries, outcome: Response | Lost, tried: number): number | undefined {
  if (!canRepeat(outcome)) return undefined;
  const asked = outcome instanceof Lost ? undefined : retryAfter(outcome);
  if (asked !== undefined) return asked <= retries.longestWait ? asked : undefined;
  const longest = Math.min(retries.firstWait * 2 ** (tried - 1), retries.longestWait);
  return longest * (0.5 + Math.random() / 2);
}

function canRepeat(outcome: Response | Lost): boolean {
  if (outcome instanceof Lost || LOST.includes(outcome.status)) return true;
  return BUSY.includes(outcome.status) || (outcome.status === IN_PROGRESS && retryAfter(outcome) !== undefined);
}

function retryAfter(response: Response): number | undefined {
  const given = response.headers.get("Retry-After");
  const seconds = given === null || given.trim() === "" ? Number.NaN : Number(given);
  return Number.isFinite(seconds) ? Math.max(seconds, 0) : undefined;
}

function wait(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, seconds * 1000);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
