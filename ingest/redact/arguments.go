package redact

import "strings"

// Arguments returns the arguments of a command for recording. A value is masked if the name
// of its flag, variable or header field is that of a secret (--token X, --token=X,
// API_KEY=X, --env=API_KEY=X, -H "Authorization: X", Authorization:X), if it is the password of -u NAME:PASSWORD, or if it is
// in a URL. The list itself stays as it is.
func (x *ByName) Arguments(list []string) []string {
	if x.off {
		return list
	}
	masked := make([]string, len(list))
	before := "" // the flag before, if its value is an argument of its own
	for i, arg := range list {
		if before != "" && x.names.Query(strings.TrimLeft(before, "-")) && (!strings.HasPrefix(arg, "-") || isKey(arg)) {
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

// attached returns the flag of an argument that has its value as well: --flag=value, or a letter of curl's
// and its value. value is "" for others.
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

// valueOf returns the value of a flag for recording, if it is one of a header field, of a name and its
// password or of cookies.
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

// argument masks the value of an assignment or a header field, members of JSON and parameters of a URL.
func (x *ByName) argument(arg string) string {
	name, _, assigned := strings.Cut(arg, "=")
	if plain := strings.TrimLeft(name, "-"); assigned && word(plain) && x.names.Query(plain) {
		return name + "=" + redacted
	}
	if strings.HasPrefix(arg, "{") { // a body
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

// isField reports whether a name is a header field's, without a space behind its colon, as HTTPie takes them:
// "auth:login" is none.
func isField(name string) bool {
	return strings.Contains(name, "-") || strings.EqualFold(name, "Authorization") || strings.EqualFold(name, "Cookie")
}

// isKey reports whether an argument with a leading dash is a secret and not a flag: it is long and has letters and digits.
func isKey(arg string) bool {
	return len(arg) >= keyLeast && !strings.HasPrefix(arg, "--") && random([]byte(arg))
}

// keyLeast is the least length, in bytes, of an argument with a leading dash that is taken for a secret and not for a flag.
const keyLeast = 16

// word reports whether a text may be the name of a flag, a variable or a header field.
func word(s string) bool {
	return s != "" && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") == ""
}
