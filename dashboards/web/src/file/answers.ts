import type { Schemas } from '../api/client'
import { arrivedBy } from '../session/frames/marks'
import type { Recording } from './recording'

type Frame = Schemas['WholeFrame']

/** Answers a request of the page for its session as a server does. */
export function answer(recording: Recording, request: Request): Response {
  const { pathname, searchParams } = new URL(request.url)
  const route = /\/v1\/sessions\/[^/]+(\/.*)?$/.exec(pathname)
  if (route === null || request.method !== 'GET') return notFound()
  switch (route[1]) {
    case undefined:
      return Response.json(recording.session)
    case '/timeline':
      return Response.json(recording.timeline)
    case '/transcript':
      return Response.json({ items: recording.transcript, next: null })
    case '/density':
      return Response.json(recording.density)
    case '/frames/index':
      return Response.json(indexOf(selected(recording.frames, searchParams), searchParams))
    case '/frames/types':
      return Response.json(typesOf(recording.frames))
    case '/frames':
      return Response.json(pageOf(selected(recording.frames, searchParams), searchParams))
  }
  const frame = recording.frames.find(({ position }) => route[1] === `/frames/${position}`)
  return frame === undefined ? notFound() : Response.json(frame)
}

function notFound(): Response {
  return Response.json(
    { title: 'Not Found', status: 404, detail: 'This file does not hold it.' },
    { status: 404, headers: { 'Content-Type': 'application/problem+json' } },
  )
}

function selected(frames: Frame[], params: URLSearchParams): Frame[] {
  const types = params.getAll('type').flatMap((list) => list.split(','))
  const directions = params.getAll('direction')
  return frames.filter(
    ({ type, direction }) =>
      (types.length === 0 || types.includes(type)) &&
      (directions.length === 0 || directions.includes(direction)),
  )
}

function indexOf(frames: Frame[], params: URLSearchParams): Schemas['FrameIndex'] {
  const every = Number(params.get('every') ?? 500)
  const items = frames
    .filter((_, i) => (i + 1) % every === 0 && i + 1 < frames.length)
    .map(({ position, offset_ms }) => ({ position, offset_ms }))
  return { total: frames.length, every, items }
}

function typesOf(frames: Frame[]): Schemas['FrameTypes'] {
  const counts = new Map<string, Schemas['FrameTypes']['items'][number]>()
  for (const { type, direction } of frames) {
    const known = counts.get(`${direction} ${type}`)
    if (known === undefined) counts.set(`${direction} ${type}`, { type, direction, frames: 1 })
    else known.frames++
  }
  return { items: [...counts.values()].sort((a, b) => b.frames - a.frames || (a.type < b.type ? -1 : 1)) }
}

function pageOf(frames: Frame[], params: URLSearchParams): { items: Frame[]; next: string | null } {
  const cursor = params.get('cursor')
  // A cursor need not be the position of a frame.
  const from = cursor === null ? 0 : arrivedBy(frames, { position: cursor, offset: 0 })
  const items = frames.slice(from, from + Number(params.get('limit') ?? 100))
  return { items, next: from + items.length < frames.length ? (items.at(-1)?.position ?? null) : null }
}
