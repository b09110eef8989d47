package redact

import "strings"

// Arguments returns the arguments of a command for recording. A value is masked if the name
// of its flag, variable or header field is that of a secret (--token X, --token=X,
// API_KEY=X, -H "Authorization: X"), if it is the password of -u NAME:PASSWORD, or if it is
// in a URL. The list itself stays as it is.
func (x *ByName) Arguments(list []string) []string {
	if x.off {
		return list
	}
	masked := make([]string, len(list))
	secret := false // the name of a flag before announced one
	user := false
	for i, arg := range list {
		switch {
		case secret && !strings.HasPrefix(arg, "-"):
			masked[i], secret = redacted, false
			continue
		case user:
			if name, _, ok := strings.Cut(arg, ":"); ok {
				arg = name + ":" + redacted
			}
		}
		masked[i] = x.argument(arg)
		flag := strings.TrimLeft(arg, "-")
		secret = flag != arg && flag != "" && !strings.Contains(flag, "=") && x.names.Query(flag)
		user = arg == "-u" || arg != flag && flag == "user"
	}
	return masked
}

// argument masks the value of an assignment or a header field, and parameters of a URL.
func (x *ByName) argument(arg string) string {
	name, _, assigned := strings.Cut(arg, "=")
	if plain := strings.TrimLeft(name, "-"); assigned && word(plain) && x.names.Query(plain) {
		return name + "=" + redacted
	}
	field, value, ok := strings.Cut(arg, ": ")
	if ok && word(field) {
		return field + ": " + x.Field(field, value)
	}
	if strings.Contains(arg, "://") {
		return x.URL(arg)
	}
	return arg
}

// word reports whether a text may be the name of a flag, a variable or a header field.
func word(s string) bool {
	return s != "" && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") == ""
}
