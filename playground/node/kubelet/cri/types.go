package cri

import (
	"fmt"
	"time"

	"kubewalk/playground/trace"
)

// RuntimeName is how a container ID says whose it is: "containerd://…".
const RuntimeName = "containerd"

// RuntimeVersion is what the node's status reports.
const RuntimeVersion = "2.2.1"

// PodSandboxConfig says for which Pod a sandbox is.
type PodSandboxConfig struct {
	Name, Namespace, UID string
	Attempt              int // 0 for the Pod's first sandbox
	HostNetwork          bool
	Hostname             string // "" is the Pod's name
	DNS                  DNSConfig
	HostAliases          []HostAlias
	Rare                 *RareSandboxConfig // nil for most
}

func (c *PodSandboxConfig) key() string { return c.Namespace + "/" + c.Name }

// RareSandboxConfig is what hardly any Pod says.
type RareSandboxConfig struct {
	Domain       string // what the host name is part of; "" for none
	FQDN         bool   // the kernel's host name has the domain, too
	PortMappings []PortMapping
	Sysctls      []Variable // parameters of the kernel
}

// PodSandboxState is what a sandbox is in.
type PodSandboxState int

// Upstream: runtimeapi.PodSandboxState_SANDBOX_READY and _NOTREADY.
const (
	SandboxReady PodSandboxState = iota
	SandboxNotReady
)

// PodSandbox is a Pod's place on the node: its network, held by a pause
// container. The runtime hands out copies.
type PodSandbox struct {
	ID        string
	Config    PodSandboxConfig
	State     PodSandboxState
	CreatedAt time.Time
	IP        string   // "" with the host's network
	Cause     trace.ID // the last event about it
}

// ContainerConfig says what to create.
type ContainerConfig struct {
	Name     string
	Attempt  int    // how many there were before it
	Image    string // as the Pod names it
	ImageRef string
	Program  Program
	// Command is its command line: see CommandLine.
	Command []string
	// Target is the container of the Pod whose processes it shares, and with
	// SharesProcesses it is all of them. Upstream: CRI's NamespaceOption.Pid, TARGET and POD.
	Target          string
	SharesProcesses bool
	// Ports are those that the Pod's spec names; a server listens on them.
	Ports     []int32
	Env       []Variable
	Mounts    []Mount
	Resources Resources
	Security  *Security
	// WorkingDir is where its program starts; "" is "/".
	WorkingDir string
	// User and Group are whom its processes run as, Groups what else they belong to.
	User, Group int64
	Groups      []int64
	// TerminationMessagePath is where it may leave its last words, and the policy
	// says whether its log stands in for them.
	TerminationMessagePath, TerminationMessagePolicy string
	// Hash and RestartCount are the kubelet's notes, which it reads back after
	// its own restart (upstream: annotations io.kubernetes.container.hash and
	// .restartCount).
	Hash         string
	RestartCount int
}

// Variable is an environment variable. Upstream: CRI's KeyValue.
type Variable struct{ Name, Value string }

// Resources are a container's bounds; 0 is none.
// Upstream: CRI's LinuxContainerResources.
type Resources struct {
	CPULimit    int64 // nanocores: more is not given to it
	MemoryLimit int64 // bytes: who uses more is killed
	CPUShares   int64 // its weight among those that want more CPU than there is
}

// Security is what its processes may do. Upstream: CRI's LinuxContainerSecurityContext.
type Security struct {
	ReadOnlyRoot, Privileged, NoNewPrivileges bool
	OOMScoreAdj                               int64 // whom a machine without memory kills first
}

// PortMapping sends what comes to a port of the node to one of the Pod. Upstream: CRI's PortMapping.
type PortMapping struct {
	Protocol                string // "tcp", "udp" or "sctp"
	HostIP                  string // "" is any of the node's
	HostPort, ContainerPort int32
}

// ContainerState is what a container is in.
type ContainerState int

// Upstream: runtimeapi.ContainerState_CONTAINER_….
const (
	ContainerCreated ContainerState = iota
	ContainerRunning
	ContainerExited
	ContainerUnknown
)

// Container is what the runtime knows of one container. It hands out copies.
type Container struct {
	ID         string
	SandboxID  string
	Config     ContainerConfig
	State      ContainerState
	CreatedAt  time.Time
	StartedAt  time.Time // zero until it was started
	FinishedAt time.Time // zero while it runs
	ExitCode   int32
	Reason     string // "Completed", "Error", "OOMKilled", "StartError", "Unknown"
	Cause      trace.ID

	root    *Volume // its writable layer
	log     *log
	message string // why it could not be started
}

// Image is an image on the node's disk.
type Image struct {
	Name      string // normalised: "docker.io/library/nginx:1.27"
	Ref       string // "docker.io/library/nginx@sha256:…"
	SizeBytes int64
	lastUsed  time.Time
}

// Error is a failed call, as gRPC prints it.
type Error struct{ Code, Desc string }

func (e *Error) Error() string { return fmt.Sprintf("rpc error: code = %s desc = %s", e.Code, e.Desc) }
