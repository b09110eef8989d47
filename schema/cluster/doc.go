// Package cluster connects to a ClickHouse cluster whose shards each hold a part of the sessions.
//
// Every member has the schema's tables in the database NAME_local, made by the statements that one
// server gets. The database NAME, which --clickhouse names, has tables of the same names with the
// engine Distributed: they insert each row into the shard of its session, see Placement, and read all
// shards. Tables that are not of sessions are on the first shard, and are Distributed over the cluster
// that has it alone, see First. What a Distributed table does not take (ALTER, DELETE, OPTIMIZE,
// TRUNCATE) Conn executes in NAME_local on every member, and what statements read of system tables it
// reads of NAME_local on every shard.
//
// A shard has several members if its tables are replicated, see package family: then a statement that
// changes a table is executed on one replica of each shard, and ClickHouse replicates it.
package cluster
