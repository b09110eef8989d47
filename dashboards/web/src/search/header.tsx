import { ActionIcon } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { Link, useLocation } from 'wouter'
import { SearchField } from './field'
import classes from './header.module.css'

/** The way to the search page from every other page. Where there is little room it is a link. */
export function HeaderSearch() {
  const [, navigate] = useLocation()
  return (
    <>
      <div className={classes.field}>
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
