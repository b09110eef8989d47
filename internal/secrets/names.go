// Package secrets decides by name whether a header field, a query parameter, a cookie or a JSON
// member is a secret.
package secrets

import (
	"maps"
	"slices"
	"strings"
	"unicode"
)

// Mask replaces a secret in stored data.
const Mask = "[redacted]"

// Names holds the rules. The zero value has the built-in rules: a name denotes a secret if one of
// its words does, or if it is a common compound (sessionid, apikey). Words are separated by
// punctuation or capitals (X-Vault-Token, access_token, accessToken). So "author", "monkey" and
// "max_tokens" do not denote secrets.
type Names struct {
	Also []string // further secret names; case, "-" and "_" are ignored
	Keep []string // names that are not masked although they contain secret words
}

// words are the words that denote a secret. "tokens" does so only at the end of a header's name:
// see amounts.
var words = set("key token secret secrets auth oauth xauth authorization jwt bearer password passwd pwd pass " +
	"passphrase session sessionid credential credentials signature " + proofs)

var headerWords = with(words, "tokens authentication")

// proofs are words for proofs of identity: client certificates, one-time passwords, proofs of
// possession, and logins at other sites.
const proofs = "cert certificate otp totp hotp mfa pin passcode dpop cred creds csrf xsrf hmac assertion apikeys"

// glued are suffixes of compounds that denote secrets. "key" is not one of them, since monkey and
// turkey are not keys.
var glued = []string{
	"token", "secret", "password", "passwd", "sessionid", "sessid", "credential", "credentials", "authorization",
	"clientcert", "accesscode", "securitycode", "verificationcode", "recoverycode",
	"apikey", "accesskey", "accesskeyid", "secretkey", "privatekey", "authkey", "subscriptionkey", "signingkey",
	"sharedkey",
	"accountkey", "masterkey",
}

// counts are words that follow "token", "key" or "pass" in the names of amounts and kinds.
var counts = set(
	"count counts limit limits usage budget type remaining reset ids version method algorithm through status issuer",
)

// amounts are words with which "tokens" denotes an amount, as in X-RateLimit-Remaining-Tokens.
var amounts = set(
	"ratelimit rate limit limits remaining max min count counts total usage used budget " +
		"input output prompt completion cached reasoning",
)

// exact are names of secrets that contain none of words.
var exact = set("openai-organization openai-project cookie2 set-cookie2 dpop x-dpop 2fa x-2fa")

// exactQuery are further names of secrets in query parameters.
var exactQuery = set("code sig pat awsaccesskeyid")

// harmless are names that contain one of words but do not denote secrets.
var harmless = set(
	"idempotency-key x-idempotency-key sec-websocket-key sec-websocket-accept access-control-allow-credentials " +
		"surrogate-key cache-key x-cache-key partition-key sort-key primary-key public-key key-id prompt-cache-key " +
		"signature-input page-token pagetoken next-page-token nextpagetoken continuation-token continuationtoken " +
		"next-token nexttoken sync-token synctoken next-sync-token nextsynctoken cursor-token cursortoken " +
		"resume-token resumetoken " +
		"progress-token progresstoken work-done-token workdonetoken partial-result-token " +
		"partialresulttoken client-request-token clientrequesttoken",
)

func set(list string) map[string]bool {
	m := map[string]bool{}
	for name := range strings.FieldsSeq(list) {
		m[name] = true
	}
	return m
}

func with(words map[string]bool, more string) map[string]bool {
	all := set(more)
	maps.Copy(all, words)
	return all
}

// Header reports whether the name of a header field denotes a secret.
func (n Names) Header(name string) bool { return n.secret(name, headerWords, nil) }

// Query reports whether the name of a parameter in a query or a fragment denotes a secret.
func (n Names) Query(name string) bool { return n.secret(name, words, exactQuery) }

// Member reports whether the name of a JSON member denotes a secret. Names of sessions do not:
// agents use the word for conversations.
func (n Names) Member(name string) bool { return n.secret(name, memberWords, nil) }

// memberWords are words without the words for sessions, and without "key" and "auth" alone, which
// often have other meanings in JSON.
var memberWords = set(
	"token secret authorization jwt bearer password passwd pwd pass passphrase passcode otp totp creds hmac " +
		"credential credentials apikey apikeys",
)

func (n Names) secret(name string, words, more map[string]bool) bool {
	plain := normal(name)
	is := func(other string) bool { return normal(other) == plain }
	switch {
	case slices.ContainsFunc(n.Also, is):
		return true
	case harmless[plain] || slices.ContainsFunc(n.Keep, is):
		return false
	case exact[plain] || more[plain]:
		return true
	}
	list := split(name)
	for i, word := range list {
		if word == "tokens" && (i+1 < len(list) || slices.ContainsFunc(list, func(w string) bool { return amounts[w] })) {
			continue
		}
		pair := "" // two words joined, as in api_key
		if i > 0 {
			pair = list[i-1] + word
		}
		found := words[word] || hasEnd(word, words) || pair != "" && hasEnd(pair, words)
		if found && (i+1 == len(list) || !counts[list[i+1]]) {
			return true
		}
	}
	return false
}

// hasEnd reports whether a word ends like a compound that denotes a secret. Session ids count only
// if words contains the words for sessions.
func hasEnd(word string, words map[string]bool) bool {
	return slices.ContainsFunc(glued, func(end string) bool {
		return strings.HasSuffix(word, end) && (words["session"] || !strings.HasPrefix(end, "sess"))
	})
}

func normal(name string) string { return strings.ReplaceAll(strings.ToLower(name), "_", "-") }

// split returns the words of a name in lower case, without trailing digits.
func split(name string) (list []string) {
	runes := []rune(name)
	begin := 0
	end := func(i int) {
		if word := strings.TrimFunc(strings.ToLower(string(runes[begin:i])), unicode.IsDigit); word != "" {
			list = append(list, word)
		}
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end(i)
			begin = i + 1
		case i > begin && unicode.IsUpper(r) &&
			(!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			end(i)
			begin = i
		}
	}
	end(len(runes))
	return list
}
