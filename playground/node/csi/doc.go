// Package csi is how Kubernetes and a storage driver speak to each other: the calls of the Container Storage Interface, and the Unix
// sockets on a machine over which they go.
//
// A socket is a file in a volume, as on a real machine: a server listens in its container at a path, and whoever has the same volume
// mounted, or is the kubelet and knows where it lies on the disk, can call it. A Pod that mounts another directory finds nobody there.
//
// Every call is traced: it and its answer are log lines of the caller, with upstream's words (csi-lib-utils, connection/connection.go,
// LogGRPC, which logs at verbosity 5; here it is 2, since calls are what a reader wants to see), and a packet that the picture draws from the
// one to the other.
//
// Simplified: messages have the fields that something here reads, calls are unary and not encrypted, and a connection is made with each
// of them. Absent: secrets, volume contexts, and topology.
//
// Upstream: github.com/container-storage-interface/spec v1.12, csi.proto.
package csi
