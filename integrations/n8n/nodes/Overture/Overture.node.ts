import type {
  IDataObject,
  IExecuteFunctions,
  ILoadOptionsFunctions,
  INodeExecutionData,
  INodeType,
  INodeTypeDescription,
  JsonObject,
} from 'n8n-workflow';
import { NodeApiError, NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';
import { all, call, choices } from './calls';
import { OPERATIONS, properties } from './operations';

export class Overture implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Overture',
    name: 'overture',
    icon: { light: 'file:overture.svg', dark: 'file:overture.dark.svg' },
    group: ['output'],
    version: 1,
    subtitle: '={{$parameter["operation"] + ": " + $parameter["resource"]}}',
    description: 'Add people, run campaigns and reply in conversations in Overture',
    defaults: { name: 'Overture' },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'overtureApi', required: true }],
    properties: properties(),
  };

  methods = {
    loadOptions: {
      async campaigns(this: ILoadOptionsFunctions) {
        return await choices(this, '/campaigns');
      },
      async lists(this: ILoadOptionsFunctions) {
        return await choices(this, '/lists');
      },
      async senders(this: ILoadOptionsFunctions) {
        return await choices(this, '/accounts');
      },
    },
  };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const answers: INodeExecutionData[] = [];
    for (const [index] of this.getInputData().entries()) {
      try {
        for (const json of await run(this, index)) answers.push({ json, pairedItem: { item: index } });
      } catch (error) {
        if (!this.continueOnFail()) throw new NodeApiError(this.getNode(), error as JsonObject, { itemIndex: index });
        answers.push({ json: { error: (error as Error).message }, pairedItem: { item: index } });
      }
    }
    return [answers];
  }
}

/** Run the chosen operation for one item. A repeated execution of the same item has no second effect. */
async function run(context: IExecuteFunctions, index: number): Promise<IDataObject[]> {
  const [resource, value] = ['resource', 'operation'].map((name) => context.getNodeParameter(name, index));
  const operation = OPERATIONS.find((one) => one.resource === resource && one.value === value);
  if (!operation) throw new NodeOperationError(context.getNode(), 'Choose an operation.', { itemIndex: index });
  const values: IDataObject = {};
  for (const { name } of operation.fields) values[name] = context.getNodeParameter(name, index) as IDataObject[string];
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
  if (operation.isList) {
    const whole = context.getNodeParameter('returnAll', index) as boolean;
    return await all(context, path, {}, whole ? Infinity : (context.getNodeParameter('limit', index) as number));
  }
  const once = `n8n-${context.getExecutionId()}-${context.getNode().id}-${context.getWorkflowDataProxy(index).$runIndex}-${index}`;
  const more = operation.method === 'GET' ? {} : { body: operation.body?.(values) ?? {}, once };
  return [await call(context, operation.method, path, more)];
}
