// What comes to an endpoint is believed only with a fresh signature of Overture's.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { verifyWebhook, WebhookVerificationError } from "../src/index.js";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const BODY = JSON.stringify({ id: "evt_1", sequence: 4, type: "message_reply", workspaceId: 1, data: { lead: { id: 3 } } });
const now = () => Math.floor(Date.now() / 1000);

function headers(at = now(), secret = SECRET, before = ""): Record<string, string> {
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const signature = createHmac("sha256", key).update(`evt_1.${at}.${BODY}`).digest("base64");
  return { "Webhook-Id": "evt_1", "Webhook-Timestamp": String(at), "Webhook-Signature": `${before}v1,${signature}` };
}

test("a signed event is read, as text or bytes, with any headers", async () => {
  const event = await verifyWebhook(SECRET, BODY, headers());
  assert.equal(event.type, "message_reply");
  assert.equal((await verifyWebhook(SECRET, new TextEncoder().encode(BODY), new Headers(headers()))).id, "evt_1");
});

test("one of several signatures is enough while the secret is rotated", async () => {
  const event = await verifyWebhook(SECRET, BODY, headers(now(), SECRET, "v1a,bm8= v1,bm8= nonsense "));
  assert.equal(event.sequence, 4);
});

for (const [what, body, sent] of [
  ["forged", BODY, headers(now(), `whsec_${"A".repeat(32)}`)],
  ["changed", BODY.replace("evt_1", "evt_2"), headers()],
  ["old", BODY, headers(now() - 6 * 60)],
  ["from the future", BODY, headers(now() + 6 * 60)],
  ["unsigned", BODY, {}],
  ["without a time", BODY, { ...headers(), "Webhook-Timestamp": "soon" }],
] as const) {
  test(`what is ${what} is refused`, async () => {
    await assert.rejects(verifyWebhook(SECRET, body, sent), WebhookVerificationError);
  });
}
