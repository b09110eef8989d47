import { IconHexagon, IconPlayerPlay, IconSparkles, IconTool } from '@tabler/icons-react'
import type { Schemas } from '../../api/client'
import classes from './kind.module.css'

const kinds = {
  run: { Icon: IconPlayerPlay, name: 'Run' },
  node: { Icon: IconHexagon, name: 'Step' },
  llm: { Icon: IconSparkles, name: 'Model call' },
  tool: { Icon: IconTool, name: 'Tool call' },
}

/** What a kind of span is called. */
export function kindName(kind: Schemas['Span']['kind']): string {
  return kinds[kind].name
}

/** The sign of a kind of span. */
export function KindIcon({ kind }: { kind: Schemas['Span']['kind'] }) {
  const { Icon, name } = kinds[kind]
  return <Icon className={classes.icon} data-kind={kind} size={14} role="img" aria-label={name} />
}
