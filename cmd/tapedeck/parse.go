package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/kong"

	"tapedeck/internal/commandline"
	"tapedeck/internal/nearest"
)

// parse parses the command line. Its errors name the command that prints help.
func parse(parser *kong.Kong, c *cli, args []string) (*kong.Context, error) {
	// The arguments after "--" are a command to record, including its flags.
	if i := slices.Index(args, "--"); i >= 0 && slices.Contains(args[:i], "record") {
		c.Record.command = args[i+1:]
		args = args[:i]
	}
	for _, a := range args {
		if !utf8.ValidString(a) { // the parser would replace invalid bytes
			return nil, commandline.Errorf("%q is not UTF-8 text", a)
		}
	}
	parsed, err := parser.Parse(joinNegative(args))
	if err != nil {
		return nil, commandline.As(parseProblem(err, args, withScheme(cmp.Or(c.Server, os.Getenv("TAPEDECK_SERVER"), defaultServer))))
	}
	c.Server, c.RecordServer = withScheme(c.Server), withScheme(c.RecordServer)
	return parsed, nil
}

var (
	number     = regexp.MustCompile(`^-[0-9.]`)
	descending = regexp.MustCompile(`^-[a-z][a-z_]+$`)
)

// joinNegative joins a value that begins with "-" to its flag: a number, so that it is refused as
// an invalid value, or a field to sort by.
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

// parseProblem adds the command that prints help to an error of the parser.
func parseProblem(err error, args []string, server string) error {
	help := "tapedeck --help"
	var at *kong.ParseError
	if errors.As(err, &at) && at.Context != nil {
		selected := at.Context.Selected()
		if selected != nil {
			help = selected.FullPath() + " --help"
		} else {
			selected = at.Context.Model.Node
		}
		if better := explain(at.Context, selected, server); better != nil {
			err = better
		}
	}
	// A flag that may be left out allows the empty value, which is of no use on a command line.
	text := asTyped(strings.Replace(err.Error(), `must be one of "",`, "must be one of ", 1), args)
	return fmt.Errorf("%s\nRun \"%s\" for what can be given", text, help)
}

// asTyped returns an error that begins with a flag's name with the other name of the flag that was typed.
func asTyped(text string, args []string) string {
	for _, names := range [][2]string{{"--from", "--since"}, {"--to", "--until"}} {
		typed := slices.ContainsFunc(args, func(a string) bool { return a == names[1] || strings.HasPrefix(a, names[1]+"=") })
		if rest, ok := strings.CutPrefix(text, names[0]+":"); ok && typed {
			return names[1] + ":" + rest
		}
	}
	return text
}

// explain returns the error for a command line without a command, with an unknown command, or with
// a configuration file for a command that reads none; nil for other errors.
func explain(c *kong.Context, selected *kong.Node, server string) error {
	if selected.Name == "record" {
		if advice := programAdvice(fromFirst(c)); advice != "" {
			return errors.New(advice)
		}
	}
	if c.Error == nil { // all arguments were parsed
		if selected.Leaf() {
			return nil
		}
		return fmt.Errorf("name one of %s", commandsOf(selected))
	}
	rest := c.Path[len(c.Path)-1].Remainder()
	if len(rest) == 0 {
		return nil
	}
	switch name, _, _ := strings.Cut(rest[0], "="); {
	case name == "--config" && !takes(selected, "config"):
		return errors.New("there is no flag --config here, since only servers, migrate, restore and verify read " +
			"a configuration file: use flags or environment variables")
	case selected.Type == kong.ApplicationNode && !strings.HasPrefix(name, "-"):
		return noCommand(rest[0], server, selected)
	case selected.Type == kong.ApplicationNode:
		return noFlag(name, selected)
	case !strings.HasPrefix(name, "-") && selected.Parent != nil && selected.Parent.DefaultCmd == selected:
		// The command was left out, such as list, or is misspelt.
		if near := nearest.Typo(name, namesBelow(selected.Parent)); near != "" {
			return fmt.Errorf("there is no command \"%s %s\", did you mean \"%s %s\"?", selected.Parent.Name, name, selected.Parent.Name, near)
		}
		if selected.Parent.Name == "sync" {
			return fmt.Errorf("\"tapedeck sync\" takes no %q: it records all that \"tapedeck sync list\" finds; --from DIR or --session ID records a part", name)
		}
	}
	return nil
}

// noFlag returns the error for an unknown flag of the program if there is a similar one.
func noFlag(name string, app *kong.Node) error {
	names := []string{"version"} // customary reads it
	for _, f := range app.Flags {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	}
	if near := nearest.Typo(strings.TrimLeft(name, "-"), names); near != "" {
		return fmt.Errorf("unknown flag %s, did you mean %q?", name, "--"+near)
	}
	return nil
}

// namesBelow returns the names of the commands below a node.
func namesBelow(n *kong.Node) []string {
	var names []string
	for _, child := range n.Children {
		if !child.Hidden {
			names = append(names, child.Name)
		}
	}
	return names
}

// fromFirst returns the arguments of a command from the first one on that is no flag.
func fromFirst(c *kong.Context) []string {
	for _, p := range c.Path {
		if p.Positional == nil {
			continue
		}
		list, ok := c.Value(p).Interface().([]string)
		if !ok || len(list) == 0 {
			return nil
		}
		if i := slices.Index(c.Args, list[0]); i >= 0 {
			return c.Args[i:]
		}
	}
	return nil
}

// takes reports whether a command has a flag.
func takes(n *kong.Node, flag string) bool {
	return slices.ContainsFunc(n.Flags, func(f *kong.Flag) bool { return f.Name == flag })
}

// commandsOf returns the first commands below a node, quoted.
func commandsOf(n *kong.Node) string {
	const most = 5
	var list []string
	for _, name := range namesBelow(n) {
		list = append(list, strconv.Quote(name))
	}
	if len(list) > most {
		list = append(list[:most], "...")
	}
	return strings.Join(list, ", ")
}

// noCommand returns the error for an unknown command, with what to type for a word of other tools,
// or with the most similar command.
func noCommand(name, server string, app *kong.Node) error {
	if advice := otherWord(name, server); advice != "" {
		return fmt.Errorf("there is no command %q: %s", name, advice)
	}
	if near := nearest.Typo(name, namesBelow(app)); near != "" {
		return fmt.Errorf("there is no command %q, did you mean %q?", name, near)
	}
	return fmt.Errorf("there is no command %q", name)
}

// withScheme adds a scheme to an address that consists of a host and a port.
func withScheme(server string) string {
	if server != "" && !strings.Contains(server, "://") {
		return "http://" + server
	}
	return server
}

// helpValue returns the help of a flag with its default, which a placeholder hides.
func helpValue(v *kong.Value) string {
	if v.Flag != nil && len(v.Tag.Envs) == 0 { // settings.Sources reads flags with variables
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
