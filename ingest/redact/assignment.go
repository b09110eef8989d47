package redact

import (
	"bytes"
	"slices"
	"strings"
)

// assignments are the rules for values in texts that are secrets by the name of the variable, field
// or parameter that they are assigned to: in environments, shell commands, YAML, JSON, URLs and
// source code. ByName does the same for arguments and header fields.
var assignments = []Rule{
	{
		ID:       assignedSecretID,
		Keywords: assignedNames(),
		Except:   assignedExcept(),
		Pattern:  assigned,
		Before:   anything,
		Ends:     true,
		Weak:     true,
		Judge:    assignedSecret,
		Source:   "docs/security.md",
		Example:  "AWS_SECRET_~ACCESS_KEY={40}",
		Near:     "AWS_SECRET_~ACCESS_KEY=$SECRET_OF_THE_STORE",
	},
	{
		ID:       "secret-argument",
		Keywords: secretFlags,
		Pattern:  `[ \t]{0,4}` + assignedValue,
		Before:   " \t\r\n\"'`\\[,(=",
		Ends:     true,
		Weak:     true,
		Judge:    assignedSecret,
		Source:   "docs/security.md",
		Example:  "--api-key ~{24}",
		Near:     "--api-key ~FILE",
	},
	{
		ID:       "environment-secret",
		Keywords: []string{"_KEY ", "_TOKEN ", "_SECRET ", "_PASSWORD ", "_KEY | ", "_TOKEN | ", "_SECRET | "},
		Pattern:  `[ \t]{0,8}` + assignedValue,
		Before:   anything,
		Ends:     true,
		Weak:     true,
		Check:    namedSecret,
		Source:   "https://fishshell.com/docs/current/cmds/set.html",
		Example:  "set -x SERPER_API_KEY ~{h40}",
		Near:     "set -x SERPER_API_KEY ~words-of-a-text",
	},
	{
		ID:       "user-password",
		Keywords: []string{" -u ", " --user ", " -U ", " --proxy-user "},
		Before:   anything,
		Ends:     true,
		Weak:     true,
		Check:    userPassword,
		Pattern:  `(?:` + quote + `)?[A-Za-z0-9._%+@-]{1,64}:([!#-&(-;=?-\[\]-_a-~]{8,})[\s"'` + "`" + `\\<>|]`,
		Source:   "https://curl.se/docs/manpage.html#-u",
		Example:  "curl -u ~me:{20} https://x.example",
		Near:     "docker run -u ~1000:1000 image",
	},
	{ID: "netrc-password", Keywords: []string{"login "}, Weak: true, After: "-", Check: isLiteral,
		Pattern: `[^ \t\r\n]{1,64}[ \t\r\n]{1,8}password[ \t]{1,8}([^ \t\r\n"\\()]{6,})`,
		Source:  "https://www.gnu.org/software/inetutils/manual/html_node/The-_002enetrc-file.html",
		Example: "machine x.example login ~me password {20}", Near: "login ~me with a password"},
	{
		ID:       "docker-auth",
		Keywords: []string{"auth", "_auth"},
		Weak:     true,
		Before:   anything,
		After:    `A-Za-z0-9+/=`,
		Check:    isUserAndPassword,
		Pattern:  `(?:` + quote + `)?[ \t\n]{0,4}[:=][ \t\n]{0,8}(?:` + quote + `)?([A-Za-z0-9+/]{8,}={0,2})`,
		Source:   "https://docs.docker.com/reference/cli/docker/login/",
		Example:  `"auth": ~"dXNlcjo{33}"`,
		Near:     `"auth": ~"dXNlcm5hbWUtYWxvbmUtMTIz"`,
	},
	{ID: "aws-secret-access-key", Keywords: []string{"AKIA", "ASIA"}, Weak: true, After: `A-Za-z0-9+/=`, Check: random,
		Pattern: `[A-Z0-9]{16}[\s,;|:"'\\]{1,8}([A-Za-z0-9+/]{40})`,
		Source:  "https://docs.aws.amazon.com/IAM/latest/UserGuide/id_credentials_access-keys.html",
		Example: "AK~IA1890{B12},{40}", Near: "AK~IA1890{B12},{h30}"},
}

// assignedSecretID is the id of the rule whose keywords are also matched against the names of JSON
// members.
const assignedSecretID = "assigned-secret"

// The parts of the pattern of an assignment. quote also matches quotes in JSON that is nested in
// JSON strings, and percent-encoded quotes.
const (
	quote      = "\\\\{0,7}[\"'`]|%2[27]"
	colour     = `(?:(?:\x1b|\\{1,7}(?:u001[bB]|x1[bB]|033|e))\[[0-9;:]{0,16}m){0,2}`
	blank      = `(?:[ \t+]|%20){0,8}`
	suffix     = `(?:_?[0-9]{1,2}|_(?:BASE|PROD|DEV|TEST|STAGING|LIVE|VALUE))?`
	typed      = `(?:(?:: ?| )(?:str|string|String) ?)?`
	equals     = `(?:=>|:=|==|=|:|>|%3[ADad]|\\{1,7}u003[adAD])`
	inQuotes   = "[!#-&(-\\[\\]-_a-~\\x{fffd}]" // a printable character other than a quote, a backslash or a space
	bare       = `[!#-%*+./-:=?-Z^_a-z~-]`      // a character of an unquoted word in shells, YAML and URLs
	bareLast   = `[#-%*+/-9=@-Z^_a-z~-]`        // bare without punctuation that ends a sentence
	afterQuote = "[\"'`\\\\\\n%]"
	afterBare  = "[.:?!]{0,3}[^!#-%*+./-:=?-Z^_a-z~(\\[{-]"

	assignedValue = `(?:[bfruBFRU]{0,2}(?:` + quote + `)(` + inQuotes + `{6,})` + afterQuote +
		`|(` + bare + `{5,}` + bareLast + `)` + afterBare + `)`
	assigned = suffix + `(?:(?:(?:` + quote + `)?\]?` + colour + blank +
		typed + equals + blank + colour + assignedValue + `)|` +
		`(?:(?:` + quote + `)[ \t]{0,2},[ \t]{0,2}(?:` + quote + `)(` + inQuotes + `{6,})` + afterQuote + `))`
)

// assignedNames returns the suffixes of names that denote secrets, in the spellings that programs
// use.
func assignedNames() (names []string) {
	for pair := range strings.FieldsSeq("api-key access-key secret-key private-key auth-key signing-key " +
		"encryption-key master-key account-key shared-key " +
		"subscription-key service-key role-key license-key deploy-key openai-key anthropic-key azure-key") {
		a, b, _ := strings.Cut(pair, "-")
		A, B := strings.ToUpper(a[:1])+a[1:], strings.ToUpper(b[:1])+b[1:]
		names = append(names, a+"_"+b, a+B, A+B, a+b, a+"-"+b, a+" "+b, A+" "+b, A+" "+B, strings.ToUpper(a+b))
	}
	names = append(
		names, "APIKey", "API key", "API Key", "_KEY", "-KEY", "-Key", "client-key-data", "_auth", "_AUTH", "_pass",
		"_PASS", "_pwd", "_PWD", "_PAT", "CREDENTIALS",
	)
	for word := range strings.FieldsSeq("token secret password passwd passphrase authorization") {
		names = append(names, word, strings.ToUpper(word[:1])+word[1:], strings.ToUpper(word))
	}
	return names
}

// assignedExcept returns names that end in one of assignedNames but do not denote secrets:
// pagination tokens and lookup keys.
func assignedExcept() (names []string) {
	for pair := range strings.FieldsSeq("public-key cache-key primary-key foreign-key sort-key partition-key " +
		"idempotency-key unique-key object-key routing-key surrogate-key websocket-key hash-key range-key dedup-key " +
		"index-key lookup-key group-key row-key storage-key page-token next-token continuation-token sync-token " +
		"cursor-token progress-token resume-token done-token result-token request-token client-token idempotency-token") {
		a, b, _ := strings.Cut(pair, "-")
		A, B := strings.ToUpper(a[:1])+a[1:], strings.ToUpper(b[:1])+b[1:]
		names = append(names, a+"_"+b, a+B, A+B, a+"-"+b, A+"-"+B, strings.ToUpper(a+"_"+b), strings.ToUpper(a+"-"+b))
	}
	return append(names, "WebSocket-Key", "ssh-key", "ssh_key") // the name of a public key
}

// secretFlags are flags whose value is the next argument and is a secret.
var secretFlags = func() (flags []string) {
	for name := range strings.FieldsSeq("token api-key api_key apikey access-token auth-token access-key " +
		"secret secret-key client-secret password passphrase authkey") {
		flags = append(flags, "--"+name+" ", "-"+name+" ")
	}
	return flags
}()

// assignedSecret reports whether the value of an assignment is a secret. The value is bytes [from,
// to) of text, which begins with a name of key bytes.
func assignedSecret(text []byte, key, from, to int) bool {
	between := text[key:from]
	return nameOf(text[:key]).takes(text[from:to], writing{
		quoted: text[0] == '-' || bytes.ContainsAny(between, "\"'`") || bytes.Contains(between, []byte("%2")),
		spaced: bytes.ContainsAny(between, " \t"),
		equals: bytes.IndexByte(between, '=') >= 0,
		odd:    bytes.ContainsAny(between, ",>") && !bytes.Contains(between, []byte("=>")),
	})
}

// memberSecret returns the offset of the secret in the text of a JSON member whose name ends with a
// keyword, or -1 if the text is not a secret. A credential may have an authentication scheme before
// it, which is skipped.
func memberSecret(key, text []byte) int {
	from := 0
	if scheme, _, ok := bytes.Cut(text, []byte(" ")); ok &&
		slices.ContainsFunc(schemes, func(s string) bool { return strings.EqualFold(s, string(scheme)) }) {
		from = len(scheme) + 1
	}
	if secret := text[from:]; len(secret) < shortest || bytes.ContainsAny(secret, " \t\r\n") ||
		!nameOf(key).takes(secret, writing{quoted: true}) {
		return -1
	}
	return from
}

// schemes are the authentication schemes of header fields with credentials (RFC 9110, section
// 11.1).
var schemes = []string{"Bearer", "Basic", "Token", "ApiKey", "DPoP"}

// keyBytes are the bytes that a key consists of.
const keyBytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+/=.~-"

// namedSecret reports whether a value that follows the name of a variable, without a sign between
// them, is a secret.
func namedSecret(value []byte) bool { return opaque(value) && !isPlaceholder(value) }

// writing describes the notation of an assignment.
type writing struct {
	quoted bool // the value is in quotes, or is a command-line argument
	spaced bool // the assignment sign has spaces around it
	equals bool
	odd    bool // a comma, or the end of an XML tag, is used as the assignment sign
}

// assignedName holds what the name of an assignment implies about its value.
type assignedName struct {
	upper    bool // no lower-case letters, as in names of environment variables
	password bool // the value is a password, which a person may have chosen
}

func nameOf(key []byte) assignedName {
	lower := bytes.TrimRight(bytes.ToLower(key), " ")
	ends := func(s string) bool { return bytes.HasSuffix(lower, []byte(s)) }
	return assignedName{
		upper:    !bytes.ContainsFunc(key, func(r rune) bool { return r >= 'a' && r <= 'z' }),
		password: slices.ContainsFunc([]string{"password", "passwd", "passphrase", "pwd", "pass"}, ends),
	}
}

// takes reports whether a value that is assigned to the name is a secret, rather than a variable,
// an expression, a placeholder or a word.
func (n assignedName) takes(value []byte, w writing) bool {
	switch {
	case isPlaceholder(value), w.odd && len(bytes.Trim(value, keyBytes)) > 0:
		return false
	case opaque(value), w.quoted && !w.odd && len(value) >= 20 && keyLike(value):
		return true
	case w.odd || w.spaced && !w.quoted && w.equals: // a statement in source code
		return false
	case n.password && n.upper && w.equals:
		return true
	case n.password && (w.quoted || w.equals):
		return withDigit(value)
	case n.password || n.upper:
		return len(value) >= 8 && (withDigit(value) || n.upper && len(value) >= 20 && mixed(value) && !wordy.Match(value))
	}
	return false
}
