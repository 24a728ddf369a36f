// What n8n gives a node, as far as these nodes ask for it: parameters, credentials, requests, and data it keeps.

import type { IDataObject, IHttpRequestOptions, INodeType } from 'n8n-workflow';

export interface Given {
  url: string;
  key: string;
  parameters?: IDataObject;
  items?: number;
  continueOnFail?: boolean;
  kept?: IDataObject;
  webhookUrl?: string;
  request?: { rawBody: Buffer; headers: IDataObject };
}

let executions = 0;

/** Return the context of a node, and what it answered to a webhook. */
export function context(node: INodeType, given: Given): any {
  const answered: IDataObject = {};
  const execution = String(++executions);
  const response = { status: (code: number) => ({ json: (body: IDataObject) => Object.assign(answered, { code, body }) }) };
  return {
    answered,
    getNode: () => ({ id: 'node-1', name: node.description.displayName, type: node.description.name, typeVersion: 1 }),
    getExecutionId: () => execution,
    getWorkflowDataProxy: () => ({ $runIndex: 0 }),
    getWorkflow: () => ({ name: 'Replies to the CRM' }),
    getInputData: () => Array.from({ length: given.items ?? 1 }, () => ({ json: {} })),
    getNodeParameter: (name: string) => given.parameters?.[name],
    getCredentials: async () => ({ url: given.url, apiKey: given.key }),
    continueOnFail: () => given.continueOnFail ?? false,
    getWorkflowStaticData: () => (given.kept ??= {}),
    getNodeWebhookUrl: () => given.webhookUrl,
    getRequestObject: () => given.request,
    getResponseObject: () => response,
    getBodyData: () => JSON.parse(given.request?.rawBody.toString() ?? '{}'),
    helpers: {
      returnJsonArray: (one: IDataObject) => [{ json: one }],
      httpRequestWithAuthentication: async (credentials: string, options: IHttpRequestOptions) => {
        if (credentials !== 'overtureApi') throw new Error(`No credentials ${credentials}`);
        const query = new URLSearchParams(options.qs as Record<string, string>).toString();
        const answer = await fetch(`${options.url}${query && `?${query}`}`, {
          method: options.method,
          headers: {
            Authorization: `Bearer ${given.key}`,
            'Content-Type': 'application/json',
            ...(options.headers as Record<string, string>),
          },
          ...(options.body && { body: JSON.stringify(options.body) }),
        });
        const text = await answer.text();
        return { statusCode: answer.status, body: text ? JSON.parse(text) : undefined };
      },
    },
  };
}
