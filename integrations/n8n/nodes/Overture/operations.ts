import type { IDataObject, IHttpRequestMethods, INodeProperties } from 'n8n-workflow';

/** What an operation asks and calls. Fields named in `path` fill it, those of `query` and `body` go there if given. */
export interface Operation {
  resource: string;
  value: string;
  name: string;
  action: string;
  description: string;
  method: IHttpRequestMethods;
  path: string;
  fields: INodeProperties[];
  body?: (given: IDataObject) => IDataObject;
  isList?: boolean;
}

const text = (name: string, displayName: string, more: Partial<INodeProperties> = {}): INodeProperties => ({
  displayName,
  name,
  type: 'string',
  default: '',
  ...more,
});
const chosen = (name: string, displayName: string, from: string): INodeProperties => ({
  displayName: `${displayName} Name or ID`,
  name,
  type: 'options',
  typeOptions: { loadOptionsMethod: from },
  default: '',
  required: true,
  description:
    'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
});
const campaign = chosen('campaignId', 'Campaign', 'campaigns');
const list = chosen('listId', 'List', 'lists');
const json = (name: string, displayName: string, description: string, example: string): INodeProperties => ({
  displayName,
  name,
  type: 'json',
  default: example,
  required: true,
  description,
});
const parsed = (value: unknown): unknown => (typeof value === 'string' ? JSON.parse(value) : value);
const given = (values: IDataObject): IDataObject =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '' && value !== undefined));

export const OPERATIONS: Operation[] = [
  {
    resource: 'person',
    value: 'add',
    name: 'Add',
    action: 'Add a person to a list',
    description: 'Add a person to a list, or update their data; an email address or a profile link is enough',
    method: 'POST',
    path: '/lists/{listId}/leads',
    fields: [
      list,
      text('email', 'Email', { placeholder: 'name@email.com' }),
      text('profileUrl', 'Profile Link', { placeholder: 'https://www.linkedin.com/in/ada-lovelace' }),
      text('firstName', 'First Name'),
      text('lastName', 'Last Name'),
      text('companyName', 'Company'),
      text('position', 'Job Title'),
      {
        displayName: 'Known Values',
        name: 'merge',
        type: 'options',
        default: 'fill',
        options: [
          { name: 'Fill in What Is Missing', value: 'fill' },
          { name: 'Leave as They Are', value: 'keep' },
          { name: 'Overwrite', value: 'overwrite' },
        ],
        description: 'How to update a person you already have',
      },
    ],
    body: ({ merge, listId: _, ...profile }) => ({ identity: 'email', merge, profiles: [given(profile)] }),
  },
  {
    resource: 'list',
    value: 'create',
    name: 'Create',
    action: 'Create a list',
    description: 'Create an empty list of people',
    method: 'POST',
    path: '/lists',
    fields: [text('name', 'Name', { required: true })],
    body: given,
  },
  {
    resource: 'list',
    value: 'getAll',
    name: 'Get Many',
    action: 'Get many lists',
    description: 'Get lists, newest first',
    method: 'GET',
    path: '/lists',
    fields: [],
    isList: true,
  },
  {
    resource: 'campaign',
    value: 'create',
    name: 'Create',
    action: 'Create a campaign',
    description: 'Create a draft campaign; nothing is sent until you start it',
    method: 'POST',
    path: '/campaigns',
    fields: [
      text('name', 'Name', { required: true }),
      list,
      {
        displayName: 'Sender Names or IDs',
        name: 'accountIds',
        type: 'multiOptions',
        typeOptions: { loadOptionsMethod: 'senders' },
        default: [],
        required: true,
        description:
          'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
      },
      json('sequence', 'Steps', 'The steps as in the API', '[{"type": "connection_request", "message": "Hello {{first_name|there}}"}]'),
    ],
    body: (values) => ({ ...given(values), sequence: parsed(values.sequence) as IDataObject[] }),
  },
  {
    resource: 'campaign',
    value: 'preview',
    name: 'Preview',
    action: 'Preview a campaign for a person',
    description: 'Get the texts a person would receive; nothing is sent',
    method: 'POST',
    path: '/campaigns/{campaignId}/preview',
    fields: [campaign, { displayName: 'Lead ID', name: 'leadId', type: 'number', default: 0, required: true }],
    body: ({ leadId }) => ({ leadId }),
  },
  {
    resource: 'campaign',
    value: 'start',
    name: 'Start',
    action: 'Start a campaign',
    description: 'Start a draft campaign; it then contacts people, within its limits and hours',
    method: 'POST',
    path: '/campaigns/{campaignId}/start',
    fields: [campaign],
  },
  {
    resource: 'campaign',
    value: 'pause',
    name: 'Pause',
    action: 'Pause a campaign',
    description: 'Pause a campaign until it is resumed',
    method: 'POST',
    path: '/campaigns/{campaignId}/pause',
    fields: [campaign],
  },
  {
    resource: 'campaign',
    value: 'addList',
    name: 'Add List',
    action: 'Add the people of a list to a campaign',
    description: 'Add the people in a list to a running campaign, except those who must not be contacted',
    method: 'POST',
    path: '/campaigns/{campaignId}/leads',
    fields: [campaign, list],
    body: ({ listId }) => ({ listId }),
  },
  {
    resource: 'campaign',
    value: 'getStatistics',
    name: 'Get Statistics',
    action: 'Get the statistics of a campaign',
    description: 'Get the totals of a campaign, such as people contacted and replies',
    method: 'GET',
    path: '/campaigns/{campaignId}/stats',
    fields: [campaign],
  },
  {
    resource: 'campaign',
    value: 'getAll',
    name: 'Get Many',
    action: 'Get many campaigns',
    description: 'Get campaigns, newest first',
    method: 'GET',
    path: '/campaigns',
    fields: [],
    isList: true,
  },
  {
    resource: 'conversation',
    value: 'getAll',
    name: 'Get Many',
    action: 'Get many conversations',
    description: 'Get conversations, newest first',
    method: 'GET',
    path: '/conversations',
    fields: [],
    isList: true,
  },
  {
    resource: 'conversation',
    value: 'reply',
    name: 'Reply',
    action: 'Reply in a conversation',
    description: 'Send a message to the person; their campaign is paused',
    method: 'POST',
    path: '/conversations/{conversationId}/messages',
    fields: [
      { displayName: 'Conversation ID', name: 'conversationId', type: 'number', default: 0, required: true },
      text('text', 'Text', { typeOptions: { rows: 4 }, required: true }),
    ],
    body: ({ text: words }) => ({ text: words }),
  },
  {
    resource: 'doNotContact',
    value: 'add',
    name: 'Add',
    action: 'Add an entry to the do not contact list',
    description: 'Never contact a person, email address, domain or company again',
    method: 'POST',
    path: '/never-contact',
    fields: [
      text('entry', 'Entry', {
        required: true,
        placeholder: 'ada@engine.example',
        description: 'A profile link, an email address, a domain, or company: followed by a name',
      }),
      text('reason', 'Reason'),
    ],
    body: ({ entry, reason }) => given({ entries: [entry as string], reason }),
  },
];

const RESOURCES = { campaign: 'Campaign', conversation: 'Conversation', doNotContact: 'Do Not Contact', list: 'List', person: 'Person' };

/** Return the fields of the node: the resource, its operations, and what each of them asks. */
export function properties(): INodeProperties[] {
  const resources = Object.entries(RESOURCES);
  return [
    {
      displayName: 'Resource',
      name: 'resource',
      type: 'options',
      noDataExpression: true,
      options: resources.map(([value, name]) => ({ name, value })),
      default: 'person',
    },
    ...resources.map(([resource]): INodeProperties => {
      const own = OPERATIONS.filter((one) => one.resource === resource);
      return {
        displayName: 'Operation',
        name: 'operation',
        type: 'options',
        noDataExpression: true,
        displayOptions: { show: { resource: [resource] } },
        options: own
          .map(({ name, value, action, description }) => ({ name, value, action, description }))
          .sort((one, other) => one.name.localeCompare(other.name)),
        default: own[0]?.value ?? '',
      };
    }),
    ...OPERATIONS.flatMap((operation) =>
      [...operation.fields, ...(operation.isList ? LIMITS : [])].map((field) => ({
        ...field,
        displayOptions: {
          show: { ...field.displayOptions?.show, resource: [operation.resource], operation: [operation.value] },
        },
      })),
    ),
  ];
}

const LIMITS: INodeProperties[] = [
  {
    displayName: 'Return All',
    name: 'returnAll',
    type: 'boolean',
    default: false,
    description: 'Whether to return all results or only up to a given limit',
  },
  {
    displayName: 'Limit',
    name: 'limit',
    type: 'number',
    typeOptions: { minValue: 1 },
    default: 50,
    description: 'Max number of results to return',
    displayOptions: { show: { returnAll: [false] } },
  },
];
