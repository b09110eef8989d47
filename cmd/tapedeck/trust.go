package main

import (
	"crypto/tls"
	"os"

	"tapedeck/internal/app/settings"
	"tapedeck/internal/certs"
	"tapedeck/internal/commandline"
)

// trustFlags hold the settings for mutual authentication with servers.
type trustFlags struct {
	TokenFile  string `help:"File that holds the token." env:"TAPEDECK_TOKEN_FILE" type:"path" placeholder:"FILE"`
	CA         string `help:"Authorities (PEM) beside those of the system of which certificates of servers may be: of the tapedeck server, and of what is recorded." name:"ca" env:"TAPEDECK_CA" type:"path" placeholder:"FILE"`
	ClientCert string `help:"Certificate (PEM) to show to servers that ask for one." env:"TAPEDECK_CLIENT_CERT" type:"path" placeholder:"FILE"`
	ClientKey  string `help:"Private key of --client-cert." env:"TAPEDECK_CLIENT_KEY" type:"path" placeholder:"FILE"`
}

// config returns the TLS configuration for servers with https and wss; nil for the default. It
// reads a renewed certificate for later connections; authorities are read once.
func (f *trustFlags) config() (*tls.Config, error) {
	if f.CA == "" && f.ClientCert == "" && f.ClientKey == "" {
		return nil, nil
	}
	files, err := certs.Open(certs.Files{Use: "client", CA: f.CA, AlsoCA: true, Cert: f.ClientCert, Key: f.ClientKey},
		stderrLog())
	if err != nil {
		return nil, commandline.Errorf("--ca, --client-cert, --client-key: %w", err)
	}
	return files.Client(""), nil
}

// readToken reads the token from the file in --token-file.
func (g *global) readToken() error {
	if g.TokenFile == "" {
		return nil
	}
	if g.Token != "" {
		return commandline.Errorf("%s and %s are both set; leave one out", setBy("--token", "TAPEDECK_TOKEN"),
			setBy("--token-file", "TAPEDECK_TOKEN_FILE"))
	}
	token, err := settings.ReadSecret(setBy("--token-file", "TAPEDECK_TOKEN_FILE"), g.TokenFile)
	g.Token, g.TokenFile = token, ""
	return err
}

// setBy returns the name of what sets a flag: its environment variable if that is set, otherwise
// the flag itself.
func setBy(flag, variable string) string {
	if os.Getenv(variable) != "" {
		return variable
	}
	return flag
}
