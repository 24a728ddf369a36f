import type {
  IAuthenticateGeneric,
  Icon,
  ICredentialTestRequest,
  ICredentialType,
  INodeProperties,
} from 'n8n-workflow';

export class OvertureApi implements ICredentialType {
  name = 'overtureApi';

  displayName = 'Overture API';

  icon: Icon = { light: 'file:../nodes/Overture/overture.svg', dark: 'file:../nodes/Overture/overture.dark.svg' };

  documentationUrl = 'https://overture.example/docs/api';

  properties: INodeProperties[] = [
    {
      displayName: 'Address',
      name: 'url',
      type: 'string',
      default: '',
      placeholder: 'https://overture.example.com',
      description: 'The URL of your Overture server, without /v1',
      required: true,
    },
    {
      displayName: 'Key',
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      description: 'Created in Overture under Developers → API keys',
      required: true,
    },
  ];

  authenticate: IAuthenticateGeneric = {
    type: 'generic',
    properties: { headers: { Authorization: '=Bearer {{$credentials.apiKey}}' } },
  };

  test: ICredentialTestRequest = {
    request: { baseURL: '={{$credentials.url.replace(new RegExp("/+$"), "")}}', url: '/v1/me' },
  };
}
