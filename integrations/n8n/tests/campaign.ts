// A whole campaign with the nodes. Whoever starts this makes time pass when it says "started", and then writes the
// first event as it came to the endpoint: {"body", "headers"}.

import assert from 'node:assert/strict';
import { createInterface } from 'node:readline/promises';
import type { IDataObject } from 'n8n-workflow';
import { Overture } from '../nodes/Overture/Overture.node';
import { OvertureTrigger } from '../nodes/Overture/OvertureTrigger.node';
import { context } from './context';

async function main(url: string, key: string, endpoint: string) {
  const node = new Overture();
  const run = async (resource: string, operation: string, fields: IDataObject = {}) => {
    const [items] = await node.execute.call(context(node, { url, key, parameters: { resource, operation, ...fields } }));
    return items!.map((item) => item.json) as any[];
  };
  const trigger = new OvertureTrigger();
  const kept: IDataObject = {};
  const hooked = context(trigger, { url, key, kept, webhookUrl: endpoint, parameters: { event: 'invite_sent' } });
  const hooks = trigger.webhookMethods.default;
  assert.equal(await hooks.checkExists.call(hooked), false);
  assert.equal(await hooks.create.call(hooked), true);
  assert.equal(await hooks.checkExists.call(hooked), true);

  const [list] = await run('list', 'create', { name: 'Founders' });
  for (const name of ['ada', 'bea', 'cleo']) {
    const person = { listId: list.id, firstName: name, profileUrl: `https://network.example/in/accepts-${name}` };
    const fields = { email: '', lastName: '', companyName: '', position: '', merge: 'fill' };
    assert.equal((await run('person', 'add', { ...fields, ...person }))[0].added, 1);
  }
  const asked = context(node, { url, key });
  assert.deepEqual((await node.methods.loadOptions.lists.call(asked))[0], { name: 'Founders', value: list.id });
  const [sender] = await node.methods.loadOptions.senders.call(asked);
  const sequence = '[{"type": "connection_request", "message": "Hello {{first_name|there}}"}]';
  const draft = { name: 'In spring', listId: list.id, accountIds: [sender!.value] as number[], sequence };
  const [campaign] = await run('campaign', 'create', draft);
  const people = (await (await fetch(`${url}/v1/lists/${list.id}/leads`, { headers: { Authorization: `Bearer ${key}` } })).json()) as any;
  const [shown] = await run('campaign', 'preview', { campaignId: campaign.id, leadId: people.data[0].id });
  assert.deepEqual(shown.steps[0].messages, [`Hello ${people.data[0].firstName}`]);
  assert.equal((await run('campaign', 'start', { campaignId: campaign.id }))[0].status, 'running');
  assert.equal((await run('campaign', 'getAll', { returnAll: true }))[0].id, campaign.id);

  console.log('started');
  const { body, headers } = JSON.parse(await createInterface(process.stdin).question(''));
  const request = { rawBody: Buffer.from(body), headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])) as IDataObject };
  const heard = await trigger.webhook.call(context(trigger, { url, key, kept, request }));
  assert.equal((heard.workflowData![0]![0]!.json as any).type, 'invite_sent');
  const forged = context(trigger, { url, key, kept, request: { ...request, rawBody: Buffer.from('{}') } });
  assert.deepEqual(await trigger.webhook.call(forged), { noWebhookResponse: true });
  assert.equal(forged.answered.code, 401);
  assert.ok((await run('campaign', 'getStatistics', { campaignId: campaign.id }))[0]);
  assert.equal((await run('doNotContact', 'add', { entry: 'someone@rival.example', reason: '' }))[0].added, 1);
  assert.equal((await run('campaign', 'pause', { campaignId: campaign.id }))[0].status, 'paused');
  assert.equal(await hooks.delete.call(hooked), true);
  assert.equal(await hooks.checkExists.call(hooked), false);
  console.log('done');
  process.exit(0);
}

const [url, key, endpoint] = process.argv.slice(2);
void main(url!, key!, endpoint!);
