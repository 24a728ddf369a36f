// A whole campaign with the client. Whoever starts this makes time pass when it says "started", and then writes the
// first event as it came to the endpoint: {"secret", "body", "headers"}.

import assert from "node:assert/strict";
import { createInterface } from "node:readline/promises";
import { NotFound, Overture, type Schemas, verifyWebhook } from "../src/index.js";

const [baseUrl, key, endpoint] = process.argv.slice(2);
assert(baseUrl && key && endpoint);
const overture = new Overture({ baseUrl, key });

const hook = await overture.post("/v1/webhooks", { body: { name: "CRM", url: endpoint, event: "invite_sent" } });
const list = await overture.post("/v1/lists", { body: { name: "Founders" } });
const params = { path: { listId: list.id } };
const profiles = ["ada", "bea", "cleo"].map((name) => ({ publicId: `accepts-${name}`, firstName: name }));
const added = await overture.post("/v1/lists/{listId}/leads", { params, body: { profiles } });
assert.equal(added.added, 3);

const people: Schemas["Lead"][] = [];
for await (const lead of overture.all("/v1/lists/{listId}/leads", { params: { ...params, query: { limit: 2 } } })) {
  people.push(lead);
}
assert.deepEqual(people.map((lead) => lead.firstName).sort(), ["ada", "bea", "cleo"]);

const [sender] = (await overture.get("/v1/accounts")).data;
assert(sender && people[0]);
const draft = await overture.post("/v1/campaigns", {
  body: {
    name: "In spring",
    listId: list.id,
    accountIds: [sender.id],
    sequence: [{ type: "connection_request", message: "Hello {{first_name|there}}" }],
  },
});
const campaign = { params: { path: { campaignId: draft.id } } };
const shown = await overture.post("/v1/campaigns/{campaignId}/preview", {
  ...campaign,
  body: { leadId: people[0].id },
});
assert.deepEqual(shown.steps[0]?.messages, [`Hello ${people[0].firstName}`]);
assert.equal((await overture.post("/v1/campaigns/{campaignId}/start", campaign)).status, "running");
await assert.rejects(overture.get("/v1/lists/{listId}", { params: { path: { listId: 2 ** 53 - 1 } } }), NotFound);

console.log(JSON.stringify({ started: draft.id, secret: hook.secret }));
const { body, headers } = JSON.parse(await createInterface(process.stdin).question(""));
const event = await verifyWebhook(hook.secret, body, headers);
assert.equal(event.type, "invite_sent");
const types: string[] = [];
for await (const one of overture.all("/v1/events")) types.push(one.type);
assert(types.includes("invite_sent"));
assert.equal(await overture.delete("/v1/webhooks/{webhookId}", { params: { path: { webhookId: hook.id } } }), undefined);
console.log("done");
process.exit(0);
