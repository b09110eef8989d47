package settings

import (
	"errors"
	"log/slog"
	"net"
	"slices"
	"time"

	"tapedeck/internal/commandline"
)

// Server holds the settings of all servers.
type Server struct {
	Config           string `help:"YAML file of settings, by the names of the flags (docs/operate/configuration.md). Flags and environment variables come before it." env:"TAPEDECK_CONFIG" type:"path" placeholder:"FILE"`
	Log              `group:"Log"`
	ServerDurability `group:"Storage"`
	Profiles         `group:"Log"`
	Tracing          `group:"Log"`
	IngestLimits     `group:"Recording"`
	Pipeline         `group:"Pipeline"`
	Quotas           `group:"Limits"`
	Memory           `group:"Memory"`
	Thresholds       `group:"Health"`
	Readers          `group:"Limits"`
	DialectFiles     `group:"Recording"`
	Redaction        `group:"Recording"`
	Alerts           `group:"Alerts"`
	Erasures         `group:"Storage"`
	Access           `group:"Access"`
	ServerTLS        `group:"Access"`
	Audit            `group:"Storage"`
	Stopping         `group:"Stop"`
	OTLPListen       string        `help:"Address for OTLP over gRPC alone, by convention of port 4317; none by default. The address of --listen takes it, too." name:"otlp-grpc-listen" group:"Recording" env:"TAPEDECK_OTLP_GRPC_LISTEN" placeholder:"ADDR"`
	QuietAfter       time.Duration `help:"How long an open session may be without a frame before it is quiet rather than running." default:"30s" min:">0" group:"Recording" env:"TAPEDECK_QUIET_AFTER" placeholder:"D"`
}

// Up holds the settings of "tapedeck up".
type Up struct {
	Server
	Data       string `help:"Data directory. Default: tapedeck in the XDG data home." env:"TAPEDECK_DATA" placeholder:"DIR" type:"path"`
	Listen     string `help:"Address of the API and UI." default:"127.0.0.1:4600" env:"TAPEDECK_LISTEN" placeholder:"ADDR"`
	Demo       bool   `help:"Record three demo sessions." env:"TAPEDECK_DEMO"`
	Backups    string `help:"Directory of the backups that \"tapedeck backup create\" writes. Default: backups in the data directory." env:"TAPEDECK_BACKUPS" placeholder:"DIR" type:"path"`
	NATSListen string `help:"Loopback address for NATS clients of other processes; none by default. The address with its token is written to nats-url in the data directory." env:"TAPEDECK_NATS_LISTEN" placeholder:"ADDR" name:"nats-listen"`
}

// Serve holds the settings of "tapedeck serve".
type Serve struct {
	Server
	NATSClient       `group:"NATS"`
	ClickHouseServer `group:"ClickHouse"`
	ColdData         `group:"ClickHouse"`
	Role             []string `help:"Parts to run: ingest, sink, api." default:"ingest,sink,api" enum:"ingest,sink,api" env:"TAPEDECK_ROLE" placeholder:"ROLE,…"`
	NATS             string   `help:"NATS servers." name:"nats" default:"nats://127.0.0.1:4222" secret:"url" group:"NATS" env:"TAPEDECK_NATS" placeholder:"URL"`
	Listen           string   `help:"Address of the API." default:"127.0.0.1:4600" env:"TAPEDECK_LISTEN" placeholder:"ADDR"`
	Data             string   `help:"Directory for the spool, and for admin-token with --tokens. Default: tapedeck in the XDG data home." type:"path" env:"TAPEDECK_DATA" placeholder:"DIR"`
	Replicas         int      `help:"Replicas of the JetStream streams." default:"1" min:"1" max:"5" unit:"servers" group:"NATS" env:"TAPEDECK_REPLICAS" placeholder:"N"`
	MaxBytes         Size     `help:"Size limit of the JetStream streams of blocks, of all partitions together." default:"16GiB" min:"1MiB" group:"NATS" env:"TAPEDECK_MAX_BYTES" placeholder:"SIZE"`
	Migrate          bool     `help:"Apply migrations at start; /readyz answers 503 meanwhile." group:"ClickHouse" env:"TAPEDECK_MIGRATE"`
	Demo             bool     `help:"Record three demo sessions; needs the roles ingest and api." env:"TAPEDECK_DEMO"`
}

// conflicts returns the errors of settings that contradict each other or name invalid files.
func (s *Server) conflicts() error {
	log := slog.New(slog.DiscardHandler) // the server reads and logs this again
	_, rules := s.Engine()
	_, proxies := s.Proxies()
	_, logins := s.LoginSettings(s.Tokens)
	_, certificates := s.Certificates(log)
	_, dialects := s.read()
	_, alerts := s.AlertRules()
	_, targets := s.AlertTargets(s.PublicURL)
	return errors.Join(alerts, targets, rules, proxies, logins, certificates, dialects, s.checkTokens(), s.checkCollector(), s.checkGRPC())
}

// Conflicts returns the errors of settings that contradict each other or name invalid files.
func (s *Up) Conflicts() error {
	return errors.Join(s.conflicts(), s.checkListen("--listen", s.Listen), checkNATSListen(s.NATSListen),
		s.checkAddresses(), checkData(s.Data), checkDirectory("backups", s.Backups))
}

// checkAddresses returns an error if both servers of local mode have the same port.
func (s *Up) checkAddresses() error {
	_, api, err := net.SplitHostPort(s.Listen)
	_, nats, bad := net.SplitHostPort(s.NATSListen)
	if err != nil || bad != nil || api != nats || api == "0" {
		return nil
	}
	return commandline.Errorf("--listen and --nats-listen have the same port, %s: choose another for one of them", api)
}

// Conflicts returns the errors of settings that contradict each other or name invalid files.
func (s *Serve) Conflicts() error {
	log := slog.New(slog.DiscardHandler)
	dsn := s.ClickHouseServer
	_, options := s.ConnectOptions(log)
	_, cold := s.Cold()
	var demo error
	if s.Demo && !(slices.Contains(s.Role, "ingest") && slices.Contains(s.Role, "api")) {
		demo = commandline.Errorf("--demo needs the roles ingest and api: it records a session unless it can be read already")
	}
	data := checkDirectory("data", s.Data)
	if slices.Contains(s.Role, "ingest") { // its spool is there
		data = checkData(s.Data)
	}
	var exports error
	if s.OTLPListen != "" && !slices.Contains(s.Role, "ingest") {
		exports = commandline.Errorf("--otlp-grpc-listen needs the role ingest: what arrives there is recorded")
	}
	return errors.Join(s.conflicts(), exports, s.checkListen("--listen", s.Listen), s.CheckNATS(s.NATS), dsn.Complete(log), options, cold, demo,
		data)
}

// Exposed returns warnings about files with secrets that other users can read.
func (s *Server) Exposed() []string {
	return secretFiles(map[string]string{"--tls-key": s.TLSKey, "--oidc-client-secret-file": s.OIDCClientSecret,
		"--alert-webhook-secret-file": s.Secret})
}

// Exposed returns warnings about files with secrets that other users can read.
func (s *Serve) Exposed() []string {
	return append(s.Server.Exposed(), secretFiles(map[string]string{
		"--nats-credentials": s.NATSCredentials, "--nats-key": s.NATSKey,
		"--clickhouse-password-file": s.ClickHousePasswordFile, "--clickhouse-key": s.ClickHouseKey,
	})...)
}
