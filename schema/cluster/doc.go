// Package cluster connects to a ClickHouse cluster whose shards each hold a part of the sessions.
//
// Every member has the schema's tables in the database NAME_local, made by the statements that one
// server gets. The database NAME, which --clickhouse names, has tables of the same names with the
// engine Distributed: they insert each row into the shard of its session, and read all shards. What
// a Distributed table does not take (ALTER, DELETE, OPTIMIZE, TRUNCATE) Conn executes in NAME_local
// on every member, and what statements read of system tables it reads of NAME_local on every shard.
package cluster
