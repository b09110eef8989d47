package clickhouse

import (
	"errors"
	"net/url"

	"tapedeck/schema/family"
)

// Parameters of a DSN that name the engine family of the tables and the quorum of inserts.
const (
	paramEngine = "engine"
	paramQuorum = "quorum"
)

// Errors of WithEngine.
var (
	ErrReplicasNeedCluster = errors.New("replicated tables are on the replicas of a cluster: name it with --clickhouse-cluster")
	ErrSharedCluster       = errors.New("ClickHouse Cloud has one shard, which needs no cluster: leave out --clickhouse-cluster")
	ErrQuorum              = errors.New("a quorum is of replicas: it needs --clickhouse-engine replicated")
)

// WithEngine returns a DSN of tables of an engine. For plain tables it is the same DSN. It returns
// ErrReplicasNeedCluster, ErrSharedCluster or ErrQuorum if the DSN, with the cluster of WithCluster, or
// the quorum does not fit.
func WithEngine(dsn string, e family.Engine) (string, error) {
	switch {
	case e.Quorum != "" && !e.IsReplicated():
		return "", ErrQuorum
	case e.IsPlain():
		return dsn, nil
	case e.IsReplicated() && clusterOf(dsn) == "":
		return "", ErrReplicasNeedCluster
	case e.Family == family.Shared && clusterOf(dsn) != "":
		return "", ErrSharedCluster
	}
	u, err := url.Parse(dsn)
	if err != nil {
		return "", errDSN
	}
	q := u.Query()
	q.Set(paramEngine, string(e.Family))
	if e.Quorum != "" {
		q.Set(paramQuorum, e.Quorum)
	}
	u.RawQuery = q.Encode()
	return u.String(), nil
}

// engineOf returns the engine that a DSN names.
func engineOf(dsn string) family.Engine {
	u, err := url.Parse(dsn)
	if err != nil {
		return family.Engine{}
	}
	q := u.Query()
	return family.Engine{Family: family.Family(q.Get(paramEngine)), Quorum: q.Get(paramQuorum)}
}
