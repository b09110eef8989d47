import { serverFlag } from '../format/shell'

/** A way to connect a source: what it is for, and what is typed. */
export interface Recipe {
  key: string
  name: string
  what: string
  commands: { text: string; what: string }[]
  /** What else is good to know. */
  note?: string
}

/** The ways to connect a source to the server at an address. */
export function recipes(origin: string): Recipe[] {
  const server = serverFlag(origin)
  const record = `tapedeck record${server} --session my-run`
  return [
    {
      key: 'history',
      name: 'Coding agents',
      what: 'What Claude Code, Codex, Gemini CLI and OpenCode keep of their sessions on a machine.',
      commands: [{ text: `tapedeck sync${server}`, what: 'record the history of coding agents' }],
      note: 'A second run records only what is new. --dry-run shows what would be recorded.',
    },
    {
      key: 'command',
      name: 'Command',
      what: 'The output of a program is recorded while it passes through unchanged.',
      commands: [
        { text: `${record} -- my-agent --output-format stream-json`, what: 'record a command' },
        { text: `my-agent | ${record} -`, what: 'record a pipe' },
      ],
      note: 'It exits as the program does.',
    },
    {
      key: 'file',
      name: 'File',
      what: 'A file of lines or of server-sent events, recorded before.',
      commands: [
        { text: `${record} --clock frame events.jsonl`, what: 'record a file' },
        { text: `${record} --follow events.jsonl`, what: 'follow a growing file' },
      ],
      note: '--clock frame takes the times from inside the frames. --follow goes on where it stopped, also after rotation.',
    },
    {
      key: 'sse',
      name: 'SSE',
      what: 'A server’s events are recorded as they arrive.',
      commands: [
        {
          text: `${record} \\\n  --sse https://api.example.com/stream \\\n  --method POST --body @request.json --header 'Authorization: Bearer …'`,
          what: 'record server-sent events',
        },
      ],
    },
    {
      key: 'websocket',
      name: 'WebSocket',
      what: 'Each message is a frame, in both directions.',
      commands: [
        {
          text: `${record} \\\n  --ws wss://api.example.com/socket --send '{"type":"run"}'`,
          what: 'record a WebSocket',
        },
      ],
    },
    {
      key: 'proxy',
      name: 'Proxy',
      what: 'An application talks to a model through tapedeck, and does not notice.',
      commands: [
        {
          text: `tapedeck proxy${server} --upstream https://api.openai.com --listen 127.0.0.1:4700\nexport OPENAI_BASE_URL=http://127.0.0.1:4700/v1`,
          what: 'record what is said to OpenAI',
        },
        {
          text: `tapedeck proxy${server} --upstream https://api.anthropic.com --listen 127.0.0.1:4700\nexport ANTHROPIC_BASE_URL=http://127.0.0.1:4700`,
          what: 'record what is said to Anthropic',
        },
      ],
    },
    {
      key: 'nats',
      name: 'NATS',
      what: 'Messages of a JetStream stream, or of subjects.',
      commands: [
        {
          text: `tapedeck record${server} --nats nats://127.0.0.1:4222 \\\n  --nats-stream AGENTS --nats-subject 'agents.>'`,
          what: 'record a NATS stream',
        },
      ],
    },
    {
      key: 'code',
      name: 'Your code',
      what: 'Lines or events are posted while they are made, of any length. The answer comes when all is durable.',
      commands: [
        {
          text: `my-agent | curl -T - -X POST -H 'Content-Type: application/x-ndjson' \\\n  '${origin}/v1/ingest?session=my-run'`,
          what: 'post lines',
        },
        { text: `${origin.replace(/^http/, 'ws')}/v1/ingest/ws?session=my-run`, what: 'send to a WebSocket' },
      ],
      note: 'text/event-stream is taken as well; on the WebSocket each message is a frame and is acknowledged.',
    },
  ]
}
