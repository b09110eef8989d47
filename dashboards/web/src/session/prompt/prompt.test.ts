import { expect, test } from 'vitest'
import { promptOf } from './prompt'

const schema = { type: 'object' }

test.each([
  [
    'anthropic-messages',
    {
      model: 'm',
      max_tokens: 9,
      system: [{ type: 'text', text: 'Be brief.' }],
      tools: [{ name: 'Bash', description: 'Runs.', input_schema: schema }],
      messages: [{ role: 'user', content: 'Hi' }],
    },
    { max_tokens: 9, model: 'm' },
  ],
  [
    'openai-chat',
    {
      model: 'm',
      tools: [{ type: 'function', function: { name: 'Bash', description: 'Runs.', parameters: schema } }],
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
    },
    { model: 'm' },
  ],
  [
    'openai-responses',
    {
      instructions: 'Be brief.',
      tools: [{ type: 'function', name: 'Bash', description: 'Runs.', parameters: schema }],
      input: 'Hi',
    },
    {},
  ],
  [
    'gemini',
    {
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      tools: [{ functionDeclarations: [{ name: 'Bash', description: 'Runs.', parameters: schema }] }],
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      generationConfig: { temperature: 0 },
    },
    { generationConfig: { temperature: 0 } },
  ],
  [
    'bedrock',
    {
      system: [{ text: 'Be brief.' }],
      toolConfig: {
        tools: [{ toolSpec: { name: 'Bash', description: 'Runs.', inputSchema: { json: schema } } }],
      },
      messages: [{ role: 'user', content: [{ text: 'Hi' }] }],
    },
    {},
  ],
])('a request of %s', (_, request, settings) => {
  const prompt = promptOf(request)
  expect(prompt?.system).toBe('Be brief.')
  expect(prompt?.tools.map(({ name, description }) => [name, description])).toEqual([['Bash', 'Runs.']])
  expect(prompt?.messages.map(({ role }) => role)).toEqual(['user'])
  expect(prompt?.settings).toEqual(settings)
})

test.each([[null], ['x'], [{ model: 'm' }], [{ type: 'message_start', message: {} }], [[]]])(
  '%j is no request',
  (value) => expect(promptOf(value)).toBeNull(),
)
