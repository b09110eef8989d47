import { Suspense, useMemo } from 'react'
import type { Schemas } from '../../api/client'
import { FileLines } from '../../components/code/filelines'
import '../../components/diff/diff.module.css'
import { imageBy, imageOf } from '../../components/images'
import { JsonTree } from '../../components/json/tree'
import { LongText } from '../../components/longtext'
import { safeAddress } from '../../components/markdown/pieces'
import { lazyPart } from '../../components/part'
import { Prose } from '../../components/markdown/prose'
import { Picture } from '../../components/picture'
import { Terminal } from '../../components/terminal/terminal'
import { Parts, partsOf } from '../pictures/parts'
import { parsed } from './json'
import { commandResult, fileText, foundIn } from './results'
import type { Shape } from './shapes'
import classes from './tool.module.css'

const EditDiff = lazyPart(() => import('../../components/diff/diff'))
const PatchDiff = lazyPart(async () => ({ default: (await import('../../components/diff/diff')).PatchDiff }))

type Message = Schemas['Message']

/** What a call of a known shape asks for. */
export function Asked({ shape }: { shape: Shape }) {
  switch (shape.kind) {
    case 'edit':
      return (
        <Suspense fallback={<Path path={shape.path} />}>
          <Path path={shape.path} />
          {shape.edits.map(({ before, after }, i) => (
            <EditDiff key={i} before={before} after={after} />
          ))}
        </Suspense>
      )
    case 'patch':
      return (
        <Suspense fallback={<LongText text={shape.text} label="Patch" />}>
          <PatchDiff text={shape.text} />
        </Suspense>
      )
    case 'write':
      return (
        <>
          <Path path={shape.path} />
          <FileLines text={shape.text} path={shape.path} first={1} label="Written file" />
        </>
      )
    case 'command':
      return (
        <>
          {shape.note !== '' && <p className={classes.none}>{shape.note}</p>}
          <LongText text={`$ ${shape.command}`} label="Command" />
        </>
      )
    case 'read':
      return <Path path={shape.path} />
    case 'web':
      return (
        <>
          {shape.query !== '' && <p className={classes.path}>{shape.query}</p>}
          {shape.url !== '' && <Address url={shape.url} title={shape.url} />}
        </>
      )
  }
}

function Path({ path }: { path: string }) {
  return path === '' ? null : <p className={classes.path}>{path}</p>
}

function Address({ url, title }: { url: string; title: string }) {
  const address = safeAddress(url)
  if (address === null) return <span>{title}</span>
  return (
    <a
      className={classes.link}
      href={address}
      target="_blank"
      rel="noopener noreferrer nofollow"
      title={address}
    >
      {title}
    </a>
  )
}

/** The result of a call, by the shape of its arguments; null for a call of no known shape. */
export function Answered({ shape, text, label }: { shape: Shape | null; text: string; label: string }) {
  const parts = useMemo(() => (text.startsWith('[') ? partsOf(parsed(text)) : null), [text])
  if (parts !== null) return <Parts parts={parts} label={label} />
  switch (shape?.kind) {
    case 'command': {
      const { output, exit } = commandResult(text)
      return (
        <>
          {exit !== null && (
            <p className={classes.exit} data-failed={exit !== 0}>
              exit code {exit}
            </p>
          )}
          {output.trim() === '' ? (
            <p className={classes.none}>no output</p>
          ) : (
            <Terminal text={output} label={label} />
          )}
        </>
      )
    }
    case 'read': {
      if (text.includes('base64') && parsed(text) !== undefined)
        return <PlainValue text={text} media="text" label={label} />
      const file = fileText(text, shape.from)
      return (
        <>
          <FileLines text={file.text} path={shape.path} first={file.first} label={label} />
          {file.note !== '' && <LongText text={file.note} label="After the file" />}
        </>
      )
    }
    case 'web': {
      const found = foundIn(text)
      const value = found.length === 0 ? parsed(text) : undefined
      if (value !== undefined) return <JsonTree value={value} label={label} />
      return (
        <>
          {found.length > 0 && (
            <ul className={classes.found}>
              {found.map(({ url, title }) => (
                <li key={url}>
                  <Address url={url} title={title} />
                </li>
              ))}
            </ul>
          )}
          {found.length > 0 ? <LongText text={text} label={label} /> : <Prose text={text} />}
        </>
      )
    }
    default:
      return <PlainValue text={text} media="text" label={label} />
  }
}

/** A text of a call as what it is: an image, a tree of JSON, or text with the colours of a terminal. */
export function PlainValue({ text, media, label }: { text: string; media: Message['media']; label: string }) {
  const value = useMemo(() => parsed(text), [text])
  if (value !== undefined) {
    const parts = partsOf(value)
    return parts === null ? <JsonTree value={value} label={label} /> : <Parts parts={parts} label={label} />
  }
  const image = imageOf(text) ?? imageBy(media, text)
  if (image !== null) return <Picture image={image} label={`${label}, an image`} />
  if (text.includes('\x1b[')) return <Terminal text={text} label={label} />
  return <LongText text={text} label={label} />
}
