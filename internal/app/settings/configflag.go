package settings

// ConfigFile is the flag of commands that connect to ClickHouse and NATS as a server does.
type ConfigFile struct {
	Config string `help:"YAML file of a server's settings (docs/operate/configuration.md), of which those of ClickHouse and NATS are taken. Flags and environment variables come before it." env:"TAPEDECK_CONFIG" type:"path" placeholder:"FILE"`
}
