import '../mantine'
import '../tokens.css'
import '../global.css'
import { MantineProvider } from '@mantine/core'
import { IconFile } from '@tabler/icons-react'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { api, openShared } from '../api/client'
import { Notice } from '../components/notice'
import SessionPage from '../session/page'
import classes from '../share/page.module.css'
import { hasAddress } from '../session/urlsearch'
import { theme } from '../theme'
import { answer } from './answers'
import { Licences } from './licences'
import { setRecording, theRecording, type Recording } from './recording'

// The page is that of a shared link: one session, read only.
openShared('file')
api.use({ onRequest: ({ request }) => answer(theRecording(), request) })

const queries = new QueryClient({
  defaultOptions: { queries: { networkMode: 'always', retry: false, refetchOnWindowFocus: false } },
})

/** What a file shows: one session, read only. */
function FilePage({ id }: { id: string }) {
  return (
    <main className={classes.page}>
      <Notice icon={<IconFile size={16} />}>
        {hasAddress
          ? 'A recording in a file, read only, with secrets masked. The file loads nothing from the network.'
          : 'A recording, read only, with secrets masked.'}{' '}
        <Licences />
      </Notice>
      <div className={classes.session}>
        <SessionPage id={id} />
      </div>
    </main>
  )
}

async function show() {
  const root = document.getElementById('root')
  if (root === null) throw new Error('The file has no #root.')
  setRecording(JSON.parse(await tapedeckText('recording')) as Recording)
  createRoot(root).render(
    <StrictMode>
      <MantineProvider theme={theme} defaultColorScheme="auto">
        <QueryClientProvider client={queries}>
          <FilePage id={theRecording().session.id} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  )
}

void show()
