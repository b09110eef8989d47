package settings

import (
	"errors"
	"log/slog"
	"net/url"

	"tapedeck/internal/commandline"
	"tapedeck/schema/clickhouse"
	"tapedeck/schema/family"
)

// ClickHouseServer holds the address of ClickHouse, and the settings for mutual authentication.
type ClickHouseServer struct {
	ClickHouse             string `help:"ClickHouse: clickhouse://user:password@host:9000/database" name:"clickhouse" default:"clickhouse://127.0.0.1:9000/default" secret:"url" env:"TAPEDECK_CLICKHOUSE" placeholder:"DSN"`
	ClickHousePasswordFile string `help:"File that holds the password for --clickhouse." name:"clickhouse-password-file" env:"TAPEDECK_CLICKHOUSE_PASSWORD_FILE" type:"path" placeholder:"FILE"`
	ClickHouseCA           string `help:"Authorities (PEM) of ClickHouse's certificate, in place of those of the system. With any of these three connections are encrypted, as with ?secure=true." name:"clickhouse-ca" env:"TAPEDECK_CLICKHOUSE_CA" type:"path" placeholder:"FILE"`
	ClickHouseCert         string `help:"Certificate (PEM) to show to ClickHouse." name:"clickhouse-cert" env:"TAPEDECK_CLICKHOUSE_CERT" type:"path" placeholder:"FILE"`
	ClickHouseKey          string `help:"Private key of --clickhouse-cert." name:"clickhouse-key" env:"TAPEDECK_CLICKHOUSE_KEY" type:"path" placeholder:"FILE"`
	ClickHouseServerName   string `help:"Name that ClickHouse's certificate must have. Default: the one in the address." name:"clickhouse-server-name" env:"TAPEDECK_CLICKHOUSE_SERVER_NAME" placeholder:"NAME"`
	ClickHouseCluster      string `help:"Cluster of ClickHouse, of its remote_servers, over whose shards sessions are spread. Default: one server." name:"clickhouse-cluster" env:"TAPEDECK_CLICKHOUSE_CLUSTER" placeholder:"NAME"`
	ClickHouseEngine       string `help:"Family of the tables: plain, replicated (ReplicatedMergeTree, on the replicas of --clickhouse-cluster) or shared (ClickHouse Cloud). With the last two reports compute usage without settled rows." name:"clickhouse-engine" default:"plain" enum:"plain,replicated,shared" env:"TAPEDECK_CLICKHOUSE_ENGINE" placeholder:"FAMILY"`
	ClickHouseQuorum       string `help:"Replicas that have stored an insert when it is acknowledged: auto (the majority) or a number of 2 and more, with --clickhouse-engine replicated; 0 means one." name:"clickhouse-quorum" default:"0" env:"TAPEDECK_CLICKHOUSE_QUORUM" placeholder:"N"`
}

// Complete checks the address and adds the password and TLS to it.
func (f *ClickHouseServer) Complete(log *slog.Logger) error {
	wrong, password := checkClickHouse(f.ClickHouse), ""
	if f.ClickHousePasswordFile != "" {
		if u, err := url.Parse(f.ClickHouse); err == nil && u.User != nil && wrong == nil {
			if _, twice := u.User.Password(); twice {
				wrong = commandline.Errorf("--clickhouse has a password, and so has the file of --clickhouse-password-file: remove one")
			}
		}
		var err error
		password, err = ReadSecret("--clickhouse-password-file", f.ClickHousePasswordFile)
		wrong = errors.Join(wrong, err)
	}
	if wrong != nil {
		return wrong
	}
	if password != "" {
		u, err := url.Parse(f.ClickHouse)
		if err != nil {
			return commandline.Errorf("--clickhouse is not a URL") // cannot happen: the address was checked
		}
		user := "default"
		if u.User != nil && u.User.Username() != "" {
			user = u.User.Username()
		}
		u.User = url.UserPassword(user, password)
		f.ClickHouse = u.String()
	}
	dsn, err := clickhouse.WithTLS(f.ClickHouse, clickhouse.TLS{
		CA: f.ClickHouseCA, Cert: f.ClickHouseCert, Key: f.ClickHouseKey, ServerName: f.ClickHouseServerName,
	}, log)
	if err != nil {
		return commandline.Errorf("--clickhouse-ca, --clickhouse-cert, --clickhouse-key: %w", err)
	}
	if f.ClickHouse, err = clickhouse.WithCluster(dsn, f.ClickHouseCluster); err != nil {
		return commandline.Errorf("--clickhouse-cluster: %w", err)
	}
	return f.setEngine()
}

// setEngine adds the engine family of the tables to the address.
func (f *ClickHouseServer) setEngine() error {
	of, err := family.Parse(f.ClickHouseEngine)
	if err != nil {
		return commandline.Errorf("--clickhouse-engine: %w", err)
	}
	quorum, err := family.ParseQuorum(f.ClickHouseQuorum)
	if err != nil {
		return commandline.Errorf("--clickhouse-quorum: %w", err)
	}
	dsn, err := clickhouse.WithEngine(f.ClickHouse, family.Engine{Family: of, Quorum: quorum})
	switch {
	case errors.Is(err, clickhouse.ErrQuorum):
		return commandline.Errorf("--clickhouse-quorum: %w", err)
	case err != nil:
		return commandline.Errorf("--clickhouse-engine %s: %w", of, err)
	}
	f.ClickHouse = dsn
	return nil
}
