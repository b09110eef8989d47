import { Menu, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { IconCheck, IconChevronDown, IconLogout } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import classes from './account.module.css'
import { logOut, rightsOf, selectTenant, startOver, type Principal } from './queries'

/** Who is logged in, the tenant that the pages are about, and the way out. */
export default function Account({ principal }: { principal: Principal }) {
  const client = useQueryClient()
  const [, go] = useLocation()
  const leaving = useMutation({ mutationFn: logOut, onSuccess: () => startOver(client) })
  const selecting = useMutation({
    mutationFn: selectTenant,
    onSuccess: (login) => {
      go('/') // what the address names is of the other tenant
      return startOver(client, login)
    },
  })
  const error = leaving.error ?? selecting.error
  return (
    <Menu
      position="bottom-end"
      width={260}
      withinPortal={false}
      floatingStrategy="fixed"
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <UnstyledButton className={classes.account ?? ''}>
          <VisuallyHidden>Account: </VisuallyHidden>
          <span className={classes.name}>{principal.name}</span>
          <span className={classes.tenant}>{principal.tenant}</span>
          <IconChevronDown size={14} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text component="span" display="block" size="sm" fw={500}>
            {principal.name}
          </Text>
          {rightsOf(principal)}
        </Menu.Label>
        {principal.tenants.length > 1 && (
          <>
            <Menu.Divider />
            <Menu.Label>Tenant</Menu.Label>
            {principal.tenants.map((tenant) => (
              <Menu.Item
                key={tenant}
                leftSection={
                  <IconCheck
                    size={16}
                    style={{ visibility: isSelected(principal, tenant) ? 'visible' : 'hidden' }}
                  />
                }
                onClick={() => selecting.mutate(tenant)}
              >
                {tenant === '*' ? 'All tenants' : tenant}
              </Menu.Item>
            ))}
          </>
        )}
        {error !== null && (
          <Text size="sm" c="var(--text-error)" px="sm" py={4} role="alert">
            {error.message}
          </Text>
        )}
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconLogout size={16} />}
          onClick={() => leaving.mutate()}
          closeMenuOnClick={false}
        >
          Log out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

function isSelected({ tenant, all_tenants }: Principal, name: string): boolean {
  return name === '*' ? all_tenants : !all_tenants && tenant === name
}
