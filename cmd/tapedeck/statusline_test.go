package main

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
)

// The process in the background of a status line asks the server with the flags of the line. Empty
// variables override those that it inherits.
func TestStatusLineVariables(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	names := []string{
		"TAPEDECK_SERVER", "TAPEDECK_TENANT", "TAPEDECK_TOKEN", "TAPEDECK_TOKEN_FILE", "TAPEDECK_CA", "TAPEDECK_CLIENT_CERT", "TAPEDECK_CLIENT_KEY",
	}
	for name, tc := range map[string]struct {
		flags     []string
		inherited map[string]string
		want      global
	}{
		"no flags": {nil, nil, global{Server: defaultServer}},
		"all flags": {
			[]string{"--server=https://t.example", "--as-tenant=u", "--token-file=" + file("token"), "--ca=" + file("ca"), "--client-cert=" + file("cert"), "--client-key=" + file("key")}, nil,
			global{Server: "https://t.example", AsTenant: "u", trustFlags: trustFlags{TokenFile: file("token"), CA: file("ca"), ClientCert: file("cert"), ClientKey: file("key")}},
		},
		"a token":       {[]string{"--token=s3cret"}, nil, global{Server: defaultServer, Token: "s3cret"}},
		"the flag wins": {[]string{"--as-tenant=u"}, map[string]string{"TAPEDECK_TENANT": "t", "TAPEDECK_TOKEN": "x"}, global{Server: defaultServer, AsTenant: "u", Token: "x"}},
		"no tenant":     {[]string{"--as-tenant="}, map[string]string{"TAPEDECK_TENANT": "t"}, global{Server: defaultServer}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, name := range names {
				t.Setenv(name, tc.inherited[name])
			}
			line, err := newInvocation(context.Background(), append([]string{"statusline"}, tc.flags...))
			if err != nil {
				t.Fatal(err)
			}
			if line.cli.global != tc.want {
				t.Errorf("the line has %+v, want %+v", line.cli.global, tc.want)
			}
			for _, v := range line.cli.variables() {
				name, value, _ := strings.Cut(v, "=")
				t.Setenv(name, value)
			}
			ask, err := newInvocation(context.Background(), []string{"statusline", "--ask=s"})
			if err != nil {
				t.Fatal(err)
			}
			if ask.cli.global != tc.want {
				t.Errorf("the process in the background has %+v, want %+v", ask.cli.global, tc.want)
			}
		})
	}
}
