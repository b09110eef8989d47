// An OpenID provider for the tests of logins: oidc-provider, which others wrote and had certified, with
// users and a client that the first argument names as JSON:
//
//   {"redirect": "http://…/login/callback", "users": {"ann": {"groups": ["team-a"]}}, "idTokenClaims": true}
//
// Prints its issuer once it listens. The password of every user is "pw". POST /test/rotate replaces its keys.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createPrivateKey, generateKeyPairSync, randomUUID } from 'node:crypto'
import { Provider } from 'oidc-provider'

const { redirect, users, idTokenClaims = false } = JSON.parse(process.argv[2])

const server = createServer((request, response) => handle(request, response))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const issuer = `http://127.0.0.1:${server.address().port}`

/**
 * A new RSA key as a JWK. Node 20 waits for ever now and then when it exports a key object that it made:
 * the export holds the key's mutex, and a garbage collection during it frees the job that made the key,
 * which takes the same mutex. A key that was read from PEM has no such job.
 */
function newKey() {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  return { ...createPrivateKey(privateKey).export({ format: 'jwk' }), kid: randomUUID(), use: 'sig', alg: 'RS256' }
}

/** A provider with a key of its own. Sessions and codes are in the package's memory and stay. */
function provider() {
  const made = new Provider(issuer, {
    clients: [
      {
        client_id: 'tapedeck',
        client_secret: 'secret-of-tapedeck',
        redirect_uris: [redirect],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    jwks: { keys: [newKey()] },
    cookies: { keys: ['of a test'] },
    claims: { openid: ['sub'], profile: ['name'], groups: ['groups', 'realm_access'] },
    scopes: ['openid', 'profile', 'groups'],
    conformIdTokenClaims: !idTokenClaims,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    // Every client may have everything.
    async loadExistingGrant(ctx) {
      const grant = new ctx.oidc.provider.Grant({
        clientId: ctx.oidc.client.clientId,
        accountId: ctx.oidc.session.accountId,
      })
      grant.addOIDCScope('openid profile groups')
      await grant.save()
      return grant
    },
    findAccount: (_, id) =>
      id in users ? { accountId: id, claims: () => ({ sub: id, name: `User ${id}`, ...users[id] }) } : undefined,
  })
  made.on('server_error', (_, error) => console.error(error))
  return made
}

let current = provider()

/** Answers with a form that asks who the user is, and leaves the rest to the provider. */
async function handle(request, response) {
  const { pathname } = new URL(request.url, issuer)
  if (pathname === '/test/rotate') {
    current = provider()
    response.end('rotated')
    return
  }
  if (!pathname.startsWith('/interaction/')) {
    current.callback()(request, response)
    return
  }
  if (request.method === 'GET') {
    response.setHeader('content-type', 'text/html')
    response.end(
      '<!doctype html><title>Provider</title><form method="post"><label>User <input name="user"></label>' +
        '<label>Password <input name="password" type="password"></label><button>Log in</button><button name="refuse" value="1">Refuse</button></form>',
    )
    return
  }
  let body = ''
  for await (const part of request) body += part
  const form = new URLSearchParams(body)
  const result =
    form.has('refuse') || form.get('password') !== 'pw' || !(form.get('user') in users)
      ? { error: 'access_denied', error_description: 'the user <b>refused</b>' }
      : { login: { accountId: form.get('user') } }
  await current.interactionFinished(request, response, result, { mergeWithLastSubmission: false })
}

console.log(issuer)
// Ends with what started it.
process.stdin.on('end', () => process.exit(0)).resume()
