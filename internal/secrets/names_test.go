package secrets

import (
	"strings"
	"testing"
)

// Which names hold secrets, by hand. The first group are those of which an attacker
// found ten stored.
func TestNames(t *testing.T) {
	check := func(kind string, is func(string) bool, want bool, names string) {
		t.Helper()
		for name := range strings.FieldsSeq(names) {
			for _, spelt := range []string{name, strings.ToLower(name), strings.ToUpper(name[:1]) + name[1:]} {
				if is(spelt) != want && (spelt == name || !strings.ContainsAny(name[1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") || strings.Contains(name, "-")) {
					t.Errorf("%s %q: %v, want %v", kind, spelt, !want, want)
				}
			}
		}
	}
	var n Names
	check("header", n.Header, true, `Helicone-Auth X-Portkey-Api-Key cf-aig-authorization X-Vault-Token Private-Token X-Functions-Key
		Anthropic-Api-Key X-My-Token X-Forwarded-Access-Token OpenAI-Organization X-Session-Secret
		Authorization Proxy-Authorization X-Api-Key Api-Key X-Goog-Api-Key X-Auth-Token X-Access-Token X-Csrf-Token X-Xsrf-Token
		X-Amz-Security-Token Ocp-Apim-Subscription-Key Authentication X-Authentication`)
	check("header", n.Header, true, `x-amz-security-token accessToken sessionid Session-Id X-Session-Id Mcp-Session-Id Apikey Accesstoken Xapikey apiKey APIKey
		X-Auth-Key X-Auth-Email X-Password Passwd pwd X-Client-Secret Client_Secret Aws-Credential credentials oauthToken OAuth2 JWT Bearer token2
		Gitlab-Token X-Gitlab-Token PRIVATE_TOKEN Dd-Api-Key X-Algolia-Api-Key PHPSESSID jsessionid X-User-Passphrase sessionToken sessionID
		X-Client-Cert X-Forwarded-Client-Cert Client-Cert Client-Cert-Chain X-ARR-ClientCert SSL_CLIENT_CERT X-Ssl-Certificate X-Otp X-Totp-Code X-MFA X-2FA X-Pin
		DPoP X-DPoP X-My-Creds X-Cred X-Csrf X-Xsrf X-Hmac X-Shopify-Hmac-Sha256 Cf-Access-Jwt-Assertion X-Goog-Iap-Jwt-Assertion X-Saml-Assertion
		X-Passcode X-Access-Code X-Verification-Code X-Recovery-Code
		X-Tokens Tokens X-Access-Tokens X-Pass X-Db-Pass Pass Signature X-Signature X-Hub-Signature X-Hub-Signature-256 Stripe-Signature Cookie2 Set-Cookie2`)
	check("header", n.Header, false, `Author Authored-By authority keyboard monkey keywords turkey hockey X-RateLimit-Remaining-Tokens
		x-ratelimit-limit-tokens Anthropic-Ratelimit-Output-Tokens-Remaining X-Token-Count Max-Tokens Content-Type Host Sec-WebSocket-Key
		Sec-WebSocket-Accept Idempotency-Key Access-Control-Allow-Credentials WWW-Authenticate Sessions passage tokenizer secretary
		Surrogate-Key X-Request-Id Openai-Processing-Ms User-Agent Sec-Fetch-Site Accept Etag Code Obsession Keyed
		Anthropic-Ratelimit-Tokens-Remaining Anthropic-Ratelimit-Tokens-Reset X-Max-Tokens X-Limit-Tokens X-Count-Tokens X-Total-Tokens X-Output-Tokens
		X-Pass-Through X-Passenger Authenticated-By Bypass Compass Signature-Input X-Signature-Version Signatures Designature Pat
		X-Pinned Spin X-Certified X-Concert X-Certificate-Status X-Cert-Issuer Country-Code X-Error-Code Incredible Hotpot`)
	check("query", n.Query, true, `code authorization sessionid key api_key api-key apikey access_token refresh_token id_token token auth secret client_secret
		password sig signature x-amz-credential x-amz-security-token x-amz-signature X-Goog-Credential X-Goog-Signature AWSAccessKeyId session session_id subscription-key pat pass db_pass my_signature otp pin passcode csrf hmac client_assertion`)
	check("query", n.Query, false, `limit q page monkey author max_tokens encode codes design postcode country_code cursor from to keyword token_count SignatureVersion SignatureMethod pattern path tokens pageToken page_token next_page_token alt`)
	check("member", n.Member, true, `api_key apiKey apikey API_KEY access_token accessToken token auth_token client_secret secret password passwd pwd
		credentials authorization private_key secretKey aws_secret_access_key openai_api_key jwt pass`)
	check("member", n.Member, false, `max_tokens tokens max_completion_tokens model messages session_id sessionId session thread_id prompt_cache_key idempotency_key
		next_token nextToken syncToken nextSyncToken progressToken partialResultToken resume_token
		key keys author auth_type token_count tokenLimit tokenizer stop metadata user safety_identifier total_tokens`)
	mine := Names{Also: []string{"X-Mine", "tenant_pin"}, Keep: []string{"X-Session-Id"}}
	check("added", mine.Header, true, "X-Mine x_mine Tenant-Pin X-Vault-Token")
	check("kept", mine.Header, false, "X-Session-Id X-Plain")
	check("added", mine.Member, true, "x-mine tenant-pin tenant_pin")
}
