import type { ComparedStep } from './queries'

/** What each class is called, and how it is marked. */
export const looks: Record<
  ComparedStep['class'],
  { name: string; count: string; color: string; why: string }
> = {
  matched: { name: 'Same', count: 'the same', color: 'gray', why: 'The same in both.' },
  arguments_changed: {
    name: 'Arguments differ',
    count: 'with other arguments',
    color: 'yellow',
    why: 'What the step was given differs: arguments, a prompt, the model, parameters.',
  },
  result_changed: {
    name: 'Result differs',
    count: 'with another result',
    color: 'grape',
    why: 'What came of it differs.',
  },
  only_a: { name: 'Only A', count: 'only in A', color: 'red', why: 'B has no such step.' },
  only_b: { name: 'Only B', count: 'only in B', color: 'teal', why: 'A has no such step.' },
  reordered: { name: 'Reordered', count: 'reordered', color: 'blue', why: 'The same step at another place.' },
  retried: {
    name: 'Retried',
    count: 'retried',
    color: 'orange',
    why: 'It failed, and was done again with success.',
  },
}

const kinds: Record<ComparedStep['kind'], string> = {
  llm: 'Model',
  tool: 'Tool',
  node: 'Node',
  user: 'Prompt',
  system: 'System',
  assistant: 'Answer',
  error: 'Error',
  message: 'Message',
  end: 'End',
}

/** What a step is, for people: its kind and its name. */
export function stepName({ kind, name }: ComparedStep): { kind: string; name: string } {
  return { kind: kinds[kind], name }
}
