// @vitest-environment jsdom
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { answering, renderAt } from '../testing/render'
import TagPage from './page'

test.each(['', '?tag=', '?tag=customer', '?tag=customer:', '?tag=:acme'])(
  'an address without a value of a tag (%s) says what it lacks, and asks nothing of the server',
  async (search) => {
    answering({})
    renderAt(`/tag${search}`, <TagPage />)
    expect(await screen.findByText('No tag is named')).toBeTruthy()
  },
)
