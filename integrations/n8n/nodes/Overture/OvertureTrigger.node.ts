import type {
  IDataObject,
  IHookFunctions,
  INodeType,
  INodeTypeDescription,
  IWebhookFunctions,
  IWebhookResponseData,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { call } from './calls';
import { EVENTS } from './events';
import { isSigned } from './signature';

export class OvertureTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Overture Trigger',
    name: 'overtureTrigger',
    icon: { light: 'file:overture.svg', dark: 'file:overture.dark.svg' },
    group: ['trigger'],
    version: 1,
    subtitle: '={{$parameter["event"]}}',
    description: 'Starts the workflow when something happens in Overture',
    defaults: { name: 'Overture Trigger' },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'overtureApi', required: true }],
    webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' }],
    properties: [
      {
        displayName: 'Event',
        name: 'event',
        type: 'options',
        options: EVENTS.map(([value, name, description]) => ({ name, value, description })),
        default: 'message_reply',
        required: true,
      },
    ],
  };

  webhookMethods = {
    default: {
      async checkExists(this: IHookFunctions): Promise<boolean> {
        const kept = this.getWorkflowStaticData('node');
        if (!kept.webhookId) return false;
        const found = await call(this, 'GET', `/webhooks/${kept.webhookId}`, { mayBeGone: true });
        return found.url === this.getNodeWebhookUrl('default') && found.event === this.getNodeParameter('event');
      },
      async create(this: IHookFunctions): Promise<boolean> {
        const url = this.getNodeWebhookUrl('default') ?? '';
        const body: IDataObject = { name: `n8n: ${this.getWorkflow().name ?? 'workflow'}`.slice(0, 100), url };
        const made = await call(this, 'POST', '/webhooks', { body: { ...body, event: this.getNodeParameter('event') as string } });
        const kept = this.getWorkflowStaticData('node');
        kept.webhookId = made.id;
        kept.secret = made.secret;
        return true;
      },
      async delete(this: IHookFunctions): Promise<boolean> {
        const kept = this.getWorkflowStaticData('node');
        if (!kept.webhookId) return true;
        await call(this, 'DELETE', `/webhooks/${kept.webhookId}`, { mayBeGone: true });
        delete kept.webhookId;
        delete kept.secret;
        return true;
      },
    },
  };

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    const request = this.getRequestObject();
    const secret = String(this.getWorkflowStaticData('node').secret ?? '');
    if (!(await isSigned(secret, request.rawBody, request.headers))) {
      this.getResponseObject().status(401).json({ message: 'This was not signed by Overture.' });
      return { noWebhookResponse: true };
    }
    return { workflowData: [this.helpers.returnJsonArray(this.getBodyData())] };
  }
}
