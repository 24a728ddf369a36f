// Webhooks: whether a request to your endpoint comes from Overture, by its Standard Webhooks signature.

import { OvertureError } from "./errors.js";
import type { webhooks } from "./schema.js";

type Body<T> = T extends { post: { requestBody: { content: { "application/json": infer Event } } } } ? Event : never;

/** Any event; `type` decides what is in `data`. */
export type WebhookEvent = { [Name in keyof webhooks]: Body<webhooks[Name]> }[keyof webhooks];

/** The request is forged, changed or too old. */
export class WebhookVerificationError extends OvertureError {}

const TOLERANCE = 5 * 60;
const PREFIX = "whsec_";

/**
 * The event of a request; throws a WebhookVerificationError if it is forged, changed or older than 5 minutes.
 *
 * `body` is the request's body as it arrived, not parsed and written again. An event can arrive twice: store its `id`.
 */
export async function verifyWebhook(
  secret: string,
  body: string | Uint8Array,
  headers: Headers | Record<string, string | string[] | undefined>,
): Promise<WebhookEvent> {
  const given = headers instanceof Headers ? headers : headersOf(headers);
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
    given.get(name),
  );
  if (!id || !timestamp || !signatures) throw new WebhookVerificationError("A webhook header is missing.");
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!(age <= TOLERANCE)) throw new WebhookVerificationError("The request is too old, or its clock is wrong.");
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  const key = await keyOf(secret);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  for (const signature of signatures.split(" ")) {
    const [version, value] = signature.split(",");
    const bytes = version === "v1" && value ? bytesOf(value) : undefined;
    if (bytes && (await crypto.subtle.verify("HMAC", key, bytes, signed))) return JSON.parse(text) as WebhookEvent;
  }
  throw new WebhookVerificationError("No signature fits.");
}

function headersOf(given: Record<string, string | string[] | undefined>): Headers {
  const found = new Headers();
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) found.set(name, Array.isArray(value) ? value.join(" ") : value);
  }
  return found;
}

function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = bytesOf(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);
  if (!bytes) throw new TypeError("The secret is not one of a webhook: whsec_… is.");
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
}
