package secrets

import (
	"bytes"
	"slices"
	"strings"
)

// scope says what the names of members mean in an object or array.
type scope uint8

const (
	plain   scope = iota // only names that are used for nothing but secrets count
	body                 // the outermost object of a request
	answer               // the outermost object of an answer
	entries              // a list of servers or tools, whose objects have credentials of their own
	entry                // an object of such a list
	fields               // header fields
	values               // environment variables, or the parts of a credential
	all                  // each string is a secret
)

// scopes maps the names of members that hold secrets, at any depth, to the scope of their values.
// The names are spelled as normal returns them.
var scopes = func() map[string]scope {
	m := map[string]scope{}
	for list, s := range map[string]scope{
		"headers http-headers extra-headers default-headers custom-headers static-headers request-headers": fields,
		"env environment env-vars envs environment-variables":                                              values,
		"credentials credential auth authentication authorization oauth":                                   values,
		"tools mcp-servers mcpservers servers connectors":                                                  entries,
		"secrets client-secret": all,
	} {
		for name := range strings.FieldsSeq(list) {
			m[name] = s
		}
	}
	return m
}()

// secretSuffixes are the suffixes of names that are used for nothing but secrets, in small letters
// and without punctuation.
var secretSuffixes = strings.Fields(
	"authorization authorizationtoken accesstoken refreshtoken idtoken bearertoken authtoken sessiontoken oauthtoken " +
		"clientsecret appsecret apikey apitoken apisecret secretkey secretaccesskey privatekey serviceaccountkey",
)

// level is the state of an object or an array that is being read.
type level struct {
	scope scope
	array bool
	pair  bool   // an object in an array, which may have members for a name and a value
	name  string // of a pair: the text of its member "name" or "key"
}

// between are the bytes that may precede an object: white space between lines, the comma of an
// array whose elements are texts of their own, and the separator of a JSON text sequence (RFC
// 7464).
var between = []byte(" \t\r\n,\x1e")

// levelsMost bounds the nesting depth. Deeper values are skipped.
const levelsMost = 1 << 10

// eachSecret calls see with the range of each string that is a secret by its names, of one or
// several objects, or arrays of objects.
func (n Names) eachSecret(text []byte, outermost scope, see func(from, to int)) {
	i := 0
	if bytes.HasPrefix(text, byteOrderMark) {
		i = len(byteOrderMark)
	}
	for {
		for i < len(text) && bytes.IndexByte(between, text[i]) >= 0 {
			i++
		}
		if i >= len(text) || text[i] != '{' && text[i] != '[' {
			return
		}
		i = n.eachSecretOf(text, i, outermost, see)
	}
}

// eachSecretOf does so for the object or array that begins at byte i. It returns the offset after
// it, or the length of text if it does not end.
func (n Names) eachSecretOf(text []byte, i int, outermost scope, see func(from, to int)) int {
	levels := []level{{scope: outermost, array: text[i] == '['}}
	for first := true; len(levels) > 0; {
		here := &levels[len(levels)-1]
		if i = space(text, i+1); i >= len(text) { // after the opening bracket or the comma
			return len(text)
		}
		if first && (text[i] == '}' || text[i] == ']') {
			i--
		} else {
			name := ""
			if !here.array {
				if text[i] != '"' {
					return len(text)
				}
				end := stringEnd(text, i)
				name = unquote(text[i:end])
				if i = space(text, end); i >= len(text) || text[i] != ':' {
					return len(text)
				}
				if i = space(text, i+1); i >= len(text) {
					return len(text)
				}
			}
			if (text[i] == '{' || text[i] == '[') && len(levels) < levelsMost {
				levels, first = append(levels, n.below(here, name, text[i] == '[')), true
				continue
			}
			end := valueEnd(text, i)
			if text[i] == '"' && n.isSecret(here, name, text[i:end]) {
				see(i, end)
			}
			i = end - 1
		}
		for { // skip closing brackets up to the next comma
			if i = space(text, i+1); i >= len(text) {
				return len(text)
			}
			if text[i] == ',' {
				first = false
				break
			}
			if text[i] != '}' && text[i] != ']' {
				return len(text)
			}
			if levels = levels[:len(levels)-1]; len(levels) == 0 {
				return i + 1
			}
		}
	}
	return i
}

// below returns the level of a value, given its name; the name is "" in an array.
func (n Names) below(here *level, name string, array bool) level {
	s := scopes[normal(name)]
	switch {
	case here.array && !array: // objects in the outermost array are outermost objects
		switch s = here.scope; s {
		case entries:
			s = entry
		case all:
			s = plain
		}
	case here.scope == entries && !array: // an object with servers by name
		s = entry
	case s == plain && here.scope == body && array && n.Member(name):
		s = all
	case s == all && array: // an array of names of secrets
		s = plain
	case s == plain && (here.scope == fields || here.scope == values || here.scope == all) && !array:
		s = here.scope
	}
	return level{scope: s, array: array, pair: here.array && !array}
}

// isSecret reports whether a string, including its quotes, is a secret by its name and by the
// object that contains it.
func (n Names) isSecret(here *level, name string, quoted []byte) bool {
	if here.array {
		return here.scope == all
	}
	switch {
	case here.pair && (name == "name" || name == "key"):
		here.name = unquote(quoted)
		return false
	case name == "value" && here.name != "":
		name = here.name
	}
	switch here.scope {
	case all:
		return true
	case body, entry:
		if n.Member(name) {
			return true
		}
	case answer:
		return n.Member(name) && credential(quoted)
	case fields:
		return n.Header(name)
	case values:
		if n.Query(name) || n.Header(name) {
			return true
		}
	}
	return n.alwaysSecret(name) && credential(quoted)
}

// alwaysSecret reports whether a name is used for nothing but secrets.
func (n Names) alwaysSecret(name string) bool {
	letters := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' {
			return -1
		}
		return r
	}, strings.ToLower(name))
	ends := func(suffix string) bool { return strings.HasSuffix(letters, suffix) }
	return slices.ContainsFunc(secretSuffixes, ends) && n.Member(name)
}

// credential reports whether a quoted text may be a credential, and not a description, a path or an
// address. A credential has at least eight characters, a digit or at least twenty letters, and no
// space except after an authentication scheme.
func credential(quoted []byte) bool {
	text := bytes.Trim(quoted, `"`)
	if _, rest, ok := bytes.Cut(text, []byte(" ")); ok {
		text = rest
	}
	if bytes.HasPrefix(text, []byte("/")) || bytes.HasPrefix(text, []byte(".")) || bytes.Contains(text, []byte("://")) {
		return false
	}
	return len(text) >= 8 && !bytes.ContainsAny(text, " ") && (bytes.ContainsAny(text, "0123456789") || len(text) >= 20)
}
