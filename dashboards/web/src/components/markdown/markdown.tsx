import { type ReactNode, useMemo } from 'react'
import Markdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { CodeBlock } from '../code/codeblock'
import { imageOf } from '../images'
import { Picture } from '../picture'
import classes from './markdown.module.css'
import { safeAddress } from './pieces'

/**
 * A piece of Markdown, as GitHub extends it. HTML in it is text; links lead to pages and to mail, and images are
 * drawn only if they are written out in it.
 */
export default function MarkdownPiece({ text, definitions = '' }: { text: string; definitions?: string }) {
  return (
    <div className={classes.markdown}>
      <Markdown remarkPlugins={plugins} components={components} urlTransform={(address) => address}>
        {definitions === '' || text.includes(definitions) ? text : `${text}\n\n${definitions}`}
      </Markdown>
    </div>
  )
}

const plugins = [remarkGfm]

function Heading({ children }: { children?: ReactNode }) {
  return <p className={classes.heading}>{children}</p>
}

function Out({ href, children }: { href: string; children?: ReactNode }) {
  return (
    <a className={classes.link} href={href} target="_blank" rel="noopener noreferrer nofollow" title={href}>
      {children}
    </a>
  )
}

/** An image that is written out; of any other one where it is. */
function Drawn({ address, name }: { address: string; name: string }) {
  const image = useMemo(() => imageOf(address), [address])
  if (image !== null) return <Picture image={image} label={name} />
  const link = safeAddress(address)
  return link === null ? (
    <span>[{name}]</span>
  ) : (
    <Out href={link}>
      [{name}, {hostOf(link)}]
    </Out>
  )
}

const components: Components = {
  h1: ({ children }) => <Heading>{children}</Heading>,
  h2: ({ children }) => <Heading>{children}</Heading>,
  h3: ({ children }) => <Heading>{children}</Heading>,
  h4: ({ children }) => <Heading>{children}</Heading>,
  h5: ({ children }) => <Heading>{children}</Heading>,
  h6: ({ children }) => <Heading>{children}</Heading>,
  section: ({ children }) => <div className={classes.notes}>{children}</div>,
  a: ({ href, children }) => {
    const address = safeAddress(href ?? '')
    if (address !== null) return <Out href={address}>{children}</Out>
    return <span title={href}>{children}</span>
  },
  img: ({ src, alt }) => (
    <Drawn
      address={typeof src === 'string' ? src : ''}
      name={alt === undefined || alt === '' ? 'an image' : alt}
    />
  ),
  input: ({ checked }) => (
    <span role="img" aria-label={checked === true ? 'Done' : 'To do'}>
      {checked === true ? '☑' : '☐'}
    </span>
  ),
  table: ({ children }) => (
    <div className={classes.scroller} tabIndex={0} role="group" aria-label="Table">
      <table className={classes.table}>{children}</table>
    </div>
  ),
  pre: ({ node }) => {
    const code = node?.children[0]
    if (code?.type !== 'element') return null
    const [text] = code.children
    const names = code.properties['className']
    const name = Array.isArray(names) ? names[0] : undefined
    const language = typeof name === 'string' ? name.replace(/^language-/, '') : ''
    return <CodeBlock text={text?.type === 'text' ? text.value.replace(/\n$/, '') : ''} language={language} />
  },
}

function hostOf(address: string): string {
  try {
    return new URL(address).host || 'mail'
  } catch {
    return 'elsewhere'
  }
}
