package settings

import (
	"log/slog"
	"strings"

	"github.com/nats-io/nats.go"

	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/commandline"
)

// NATSClient holds the settings for mutual authentication with NATS. Files are read again for each
// connection.
type NATSClient struct {
	NATSCA          string `help:"Authorities (PEM) of the certificates of NATS servers, in place of those of the system." name:"nats-ca" env:"TAPEDECK_NATS_CA" type:"path" placeholder:"FILE"`
	NATSCert        string `help:"Certificate (PEM) to show to NATS." name:"nats-cert" env:"TAPEDECK_NATS_CERT" type:"path" placeholder:"FILE"`
	NATSKey         string `help:"Private key of --nats-cert." name:"nats-key" env:"TAPEDECK_NATS_KEY" type:"path" placeholder:"FILE"`
	NATSServerName  string `help:"Name that certificates of NATS servers must have. Default: the one in the address." name:"nats-server-name" env:"TAPEDECK_NATS_SERVER_NAME" placeholder:"NAME"`
	NATSCredentials string `help:"File with what identifies the user to NATS: a .creds file, the seed of an nkey, user:password, or a token." name:"nats-credentials" env:"TAPEDECK_NATS_CREDENTIALS" type:"path" placeholder:"FILE"`
}

// ConnectOptions returns the options of connections.
func (f *NATSClient) ConnectOptions(log *slog.Logger) ([]nats.Option, error) {
	options, err := jetstream.TLS{CA: f.NATSCA, Cert: f.NATSCert, Key: f.NATSKey,
		ServerName: f.NATSServerName}.Options(log)
	if err != nil {
		return nil, commandline.Errorf("--nats-ca, --nats-cert, --nats-key: %w", err)
	}
	if f.NATSCredentials == "" {
		return options, nil
	}
	text, err := ReadSecret("--nats-credentials", f.NATSCredentials)
	if err != nil {
		return nil, err
	}
	again := func() string {
		if now, err := ReadSecret("--nats-credentials", f.NATSCredentials); err == nil {
			text = now
		}
		return text
	}
	switch {
	case strings.Contains(text, "-----BEGIN"):
		options = append(options, nats.UserCredentials(f.NATSCredentials))
	case isSeed(text):
		key, err := nats.NkeyOptionFromSeed(f.NATSCredentials)
		if err != nil {
			return nil, commandline.Errorf("--nats-credentials %s: the seed of an nkey is not valid: %w",
				f.NATSCredentials, err)
		}
		options = append(options, key)
	case strings.Contains(text, ":"):
		options = append(options, nats.UserInfoHandler(func() (user, password string) {
			user, password, _ = strings.Cut(again(), ":")
			return user, password
		}))
	default:
		options = append(options, nats.TokenHandler(again))
	}
	return options, nil
}

// CheckNATS checks the value of --nats. It refuses a user in it if a file also has one.
func (f *NATSClient) CheckNATS(servers string) error {
	if err := checkNATS(servers); err != nil {
		return err
	}
	if f.NATSCredentials != "" && jetstream.HasUser(servers) {
		return commandline.Errorf("--nats has a user or a token, and so has the file of --nats-credentials: remove one")
	}
	return nil
}

// isSeed reports whether a text is the seed of an nkey of a user: base32 that begins with SU.
func isSeed(text string) bool {
	return len(text) == 58 && strings.HasPrefix(text, "SU") && strings.Trim(text,
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}
