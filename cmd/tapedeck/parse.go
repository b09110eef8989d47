package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/kong"

	"tapedeck/internal/commandline"
)

// parse reads the command line. Its errors contain the command that prints help.
func parse(parser *kong.Kong, c *cli, args []string) (*kong.Context, error) {
	// The arguments after "--" are a command to record, including its flags.
	if i := slices.Index(args, "--"); i >= 0 && slices.Contains(args[:i], "record") {
		c.Record.command = args[i+1:]
		args = args[:i]
	}
	for _, a := range args {
		if !utf8.ValidString(a) { // the parser would replace these bytes
			return nil, commandline.Errorf("%q is not UTF-8 text", a)
		}
	}
	parsed, err := parser.Parse(joinNegative(args))
	if err != nil {
		return nil, commandline.As(parseProblem(err, args))
	}
	c.Server = withScheme(c.Server)
	return parsed, nil
}

var (
	number     = regexp.MustCompile(`^-[0-9.]`)
	descending = regexp.MustCompile(`^-[a-z][a-z_]+$`)
)

// joinNegative joins a value that begins with "-" to its flag: a number, so that
// it is refused as an invalid value, and a field to sort by.
func joinNegative(args []string) []string {
	var joined []string
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "--" {
			return append(joined, args[i:]...)
		}
		if strings.HasPrefix(a, "-") && !strings.Contains(a, "=") && !number.MatchString(a) && i+1 < len(args) &&
			(number.MatchString(args[i+1]) || a == "--sort" && descending.MatchString(args[i+1])) {
			if strings.HasPrefix(a, "--") {
				a += "="
			}
			a += args[i+1]
			i++
		}
		joined = append(joined, a)
	}
	return joined
}

var wrongDuration = regexp.MustCompile(`expected duration but got "([^"]*)": time: .*`)

var misplaced = regexp.MustCompile(`^unexpected argument ([^\s,]+)`)

// parseProblem rewrites an error of the parser as a readable message.
func parseProblem(err error, args []string) error {
	text, help := err.Error(), "tapedeck --help"
	var at *kong.ParseError
	if errors.As(err, &at) && at.Context != nil {
		if node := at.Context.Selected(); node != nil {
			help = node.FullPath() + " --help"
		} else if m := misplaced.FindStringSubmatch(text); m != nil {
			text = strings.Replace(text, m[0], fmt.Sprintf("there is no command %q", m[1]), 1)
		}
	}
	if strings.HasPrefix(text, "unknown flag --config") {
		text = "there is no flag --config here, since only servers, migrate, restore and verify read a configuration file: use flags or environment variables"
	}
	text = wrongDuration.ReplaceAllString(text, `it must be a time with a unit, like 30s, not "$1"`)
	for _, r := range [][2]string{
		{"expected a valid 64 bit int but got", "it must be a whole number, not"},
		{"expected a valid 64 bit uint but got", "it must be a whole number from 0 on, not"},
		{"expected one of", "name one of"},
		{"expected bool value but got", "it is a switch, without a value such as"},
	} {
		text = strings.Replace(text, r[0], r[1], 1)
	}
	return fmt.Errorf("%s\nRun \"%s\" for what can be given", text, help)
}

// withScheme completes an address that is a host and a port.
func withScheme(server string) string {
	if server != "" && !strings.Contains(server, "://") {
		return "http://" + server
	}
	return server
}

// helpValue returns the help of a flag with its default, which a placeholder hides.
func helpValue(v *kong.Value) string {
	if v.Flag != nil && len(v.Tag.Envs) == 0 { // settings.Sources reads them
		v.Tag.Envs = v.Flag.Envs
		defer func() { v.Tag.Envs = nil }()
	}
	text := kong.DefaultHelpValueFormatter(v)
	if v.Flag == nil || v.Flag.PlaceHolder == "" || v.Default == "" {
		return text
	}
	text = strings.TrimSuffix(text, ".")
	at := strings.LastIndex(text, " ($")
	if at < 0 {
		at = len(text)
	}
	return fmt.Sprintf("%s. Default: %s%s.", strings.TrimSuffix(text[:at], "."), v.Default, text[at:])
}
