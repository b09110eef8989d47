import { ActionIcon } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useRef } from 'react'
import { Link, useLocation } from 'wouter'
import { SearchField } from './field'
import classes from './header.module.css'

/** The way to the search page from every other page. Where there is little room it is a link. */
export function HeaderSearch() {
  const [, navigate] = useLocation()
  const field = useRef<HTMLDivElement>(null)
  useHotkeys([
    [
      '/',
      () => {
        if (field.current?.checkVisibility() === false) navigate('/search')
      },
    ],
  ])
  return (
    <>
      <div ref={field} className={classes.field}>
        <SearchField value="" search={(q) => navigate(`/search?${new URLSearchParams({ q }).toString()}`)} />
      </div>
      <ActionIcon
        component={Link}
        href="/search"
        className={classes.link}
        variant="subtle"
        color="gray"
        size="lg"
        aria-label="Search in all that was said"
      >
        <IconSearch size={18} />
      </ActionIcon>
    </>
  )
}
