package redact

import "strings"

// Arguments returns a copy of a command's arguments for recording, with secret values masked. A
// value is a secret if its flag, variable or header field has the name of a secret (--token X,
// --token=X, API_KEY=X, --env=API_KEY=X, -H "Authorization: X", Authorization:X), if it is the
// password in -u NAME:PASSWORD, or if it is in a URL. Arguments does not change list.
func (x *ByName) Arguments(list []string) []string {
	if x.off {
		return list
	}
	masked := make([]string, len(list))
	before := "" // the previous argument, if it is a flag whose value is the next argument
	for i, arg := range list {
		if before != "" && x.isSecret(before, arg) && (!strings.HasPrefix(arg, "-") || isKey(arg)) {
			masked[i], before = redacted, ""
			continue
		}
		masked[i] = x.argument(x.valueOf(before, arg))
		before = ""
		if flag, value := attached(arg); value != "" {
			shown := x.valueOf(flag, value)
			if shown == value && masked[i] == arg {
				shown = x.argument(value) // --env=API_KEY=X
			}
			if shown != value {
				masked[i] = arg[:len(arg)-len(value)] + shown
			}
		} else if strings.HasPrefix(arg, "-") {
			before = arg
		}
	}
	return masked
}

// isSecret reports whether the value of a flag is a secret. The name of a session is none unless it looks like a key, as
// the tokens of password managers do.
func (x *ByName) isSecret(flag, value string) bool {
	if flag == "--session" || flag == "--session-id" {
		return isKey("-" + value)
	}
	return x.names.Query(strings.TrimLeft(flag, "-"))
}

// attached returns the flag of an argument that also holds the flag's value: --flag=value, or a
// single-letter flag of curl with its value. value is "" for other arguments.
func attached(arg string) (flag, value string) {
	if strings.HasPrefix(arg, "--") {
		flag, value, _ = strings.Cut(arg, "=")
		return flag, value
	}
	if len(arg) > 2 && arg[0] == '-' && strings.IndexByte("HuUb", arg[1]) >= 0 {
		return arg[:2], arg[2:]
	}
	return "", ""
}

// valueOf returns the value of a flag for recording. It masks values that are a header field, a
// name with a password, or cookies.
func (x *ByName) valueOf(flag, value string) string {
	switch flag {
	case "-H", "--header", "--proxy-header":
		if name, field, ok := strings.Cut(value, ":"); ok && word(name) {
			text := strings.TrimLeft(field, " ")
			return value[:len(value)-len(text)] + x.Field(name, text)
		}
	case "-u", "--user", "-U", "--proxy-user":
		if name, _, ok := strings.Cut(value, ":"); ok {
			return name + ":" + redacted
		}
	case "-b", "--cookie":
		if strings.Contains(value, "=") {
			return cookies(value)
		}
	}
	return value
}

// argument masks the value of an assignment or a header field, the members of a JSON body, and the
// parameters of a URL.
func (x *ByName) argument(arg string) string {
	name, value, assigned := strings.Cut(arg, "=")
	if assigned && word(strings.TrimLeft(name, "-")) && x.isSecret(name, value) {
		return name + "=" + redacted
	}
	if strings.HasPrefix(arg, "{") { // a JSON body
		if masked, cuts := x.names.MaskMembers([]byte(arg)); cuts != nil {
			return string(masked)
		}
	}
	field, value, ok := strings.Cut(arg, ":")
	if ok && word(field) && (strings.HasPrefix(value, " ") || isField(field) && x.names.Header(field)) {
		text := strings.TrimLeft(value, " ")
		return arg[:len(arg)-len(text)] + x.Field(field, text)
	}
	if strings.Contains(arg, "://") {
		return x.URL(arg)
	}
	return arg
}

// isField reports whether a name is the name of a header field followed by a colon without a space,
// as HTTPie accepts header fields. "auth:login" is not a header field.
func isField(name string) bool {
	return strings.Contains(name, "-") || strings.EqualFold(name, "Authorization") || strings.EqualFold(name, "Cookie")
}

// isKey reports whether an argument with a leading dash is a secret and not a flag: it is at least
// keyLeast bytes long and has both letters and digits.
func isKey(arg string) bool {
	return len(arg) >= keyLeast && !strings.HasPrefix(arg, "--") && random([]byte(arg))
}

// keyLeast is the minimum length, in bytes, of an argument with a leading dash that is treated as a
// secret and not as a flag.
const keyLeast = 16

// word reports whether a text can be the name of a flag, a variable or a header field.
func word(s string) bool {
	return s != "" && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") == ""
}
