import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import parser from '@typescript-eslint/parser';

export default [
  { ignores: ['dist/**', 'node_modules/**', 'tests/**'] },
  n8nCommunityNodesPlugin.configs.recommended,
  { files: ['**/*.ts', 'package.json'], languageOptions: { parser, parserOptions: { extraFileExtensions: ['.json'] } } },
];
