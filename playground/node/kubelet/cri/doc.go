// Package cri is a node's container runtime, component "containerd/NODE", and
// the interface (CRI) through which the kubelet speaks to it.
//
// It is a program of its own, because that is what makes a kubelet's restart
// harmless: containers are children of the runtime, go on running, and are
// found again by whoever lists them. When the runtime's component stops, every
// container stops with it. What is on the node's disk stays (see Disk): images,
// volumes, logs, and what containerd remembers of containers that no longer run.
//
// Calls that change something take time: the kubelet's process waits while a
// process of the runtime does the work, and they fail with a gRPC status when
// the runtime is not there. Calls that only read are answered at once.
// The trace shows sandboxes, images and containers, by this component.
//
// # What containers do
//
// There are no real processes. What a container does follows from its image, its
// command and its arguments (NewProgram). The catalogue, one file an entry:
//
//	nginx, httpd, traefik/whoami, hello-app   answers HTTP with 200 and the Pod's host name; nginx and httpd serve
//	                                          the files of a volume that is mounted at their document root
//	redis, valkey, postgres, mysql, mariadb   listens on its port
//	busybox, alpine, debian, ubuntu, curl     a shell and its commands; nothing else is found. Without a command it ends with 0
//	registry.k8s.io/pause                     runs until it is stopped, listens nowhere
//	registry.k8s.io/e2e-test-images/agnhost   netexec [--http-port=8080] [--udp-port=8081] [--sctp-port=N] [--http-override=PATH]
//	                                          [--delay-shutdown=N], with its paths (/dial) and packets where the build has them;
//	                                          serve-hostname, test-webserver, liveness (500 after
//	                                          10 s), logs-generator --log-lines-total=N --run-duration=D, pause; where the build
//	                                          has them porter, nettest, guestbook and grpc-health-checking, and the commands dig and getent;
//	                                          on the port test-service-account-issuer-discovery --token-path=PATH --audience=NAME
//	registry.k8s.io/…/liveness                200 for ten seconds, then 500
//	polinux/stress                            stress --cpu N --vm N --vm-bytes 150M --timeout 30s: uses that
//	vish/stress                               -cpus N -mem-total 150Mi -mem-alloc-size 10Mi -mem-alloc-sleep 1s
//	registry.k8s.io/hpa-example               each request costs 100 ms of a CPU
//	perl                                      π, for the program print bpi(2000) of the Job in Kubernetes' documentation, or up to 5000 digits
//	python                                    python3 -c with print, time.sleep, sys.exit, if, for … in range and while True, as in the
//	                                          documentation's Jobs; without a program it ends. Not in every build
//	kubewalk.dev/app                          for demos: --latency=300ms --ready-after=10s --break-after=1m --crash-after=30s
//	                                          --run=10s --exit-code=3 --memory=64Mi --leak=5Mi (a second) --cpu=250m
//	                                          --request-cpu=20ms --stop-after=5s --ignore-sigterm --port=80,443 --log=TEXT --log-every=1s
//	                                          as an admission webhook: --require-label=team --deny-image=*:latest
//	                                          --default-label=team=a --add-container=proxy=envoyproxy/envoy:v1.34
//	                                          --tls-cert-file=/serving/tls.crt, a file of a Secret; without it, a certificate that every client trusts
//	kubewalk.dev/clock-apiserver              for demos: an extension API server for clock.example.com/v1, with Times and Alarms, on
//	                                          --secure-port=6443, with --tls-cert-file=PATH or a certificate of its own
//	kubewalk.dev/scheduler-extender           for demos: an extender of a scheduler, on --port=8888, with --reject=NODE=REASON and
//	                                          --score=NODE=5 (0 to 10); not in every build
//	sample-apiserver                          upstream's extension API server for wardle.example.com, with Flunders and Fischers, on
//	                                          --secure-port=443, with --etcd-servers=http://127.0.0.1:2379; on the port only
//	registry.k8s.io/etcd                      with --listen-client-urls=http://…, etcd for the sample-apiserver of the same Pod; on the port only
//	kubewalk.dev/silent                       for demos: no shell, no log, and listens on a port of its own, 9090
//	flant/shell-operator                      runs the executable files below /hooks, with kubectl and jq, where a cluster has that operator
//	metrics-server/metrics-server             scrapes the kubelets and answers for metrics.k8s.io, on --secure-port, where a cluster has a network
//	any other image                           answers HTTP with 200 and the Pod's host name
//
// An image of the catalogue holds its own commands (Behaviour) and, if it has a
// shell, the shell's. A container whose command is another one is never started:
// StartError, 128. Of any other image nothing is known, so it holds everything but
// what begins with "no-such". 127 is what a shell says of a command in its script.
//
// A server listens on the ports of its catalogue entry and on the Pod's
// containerPorts; if there are neither, on every port. /healthz answers "ok",
// /clientip, /echo?msg=TEXT and /exit?code=N do what agnhost's do.
//
// In every image but whoami, hello-app, pause, liveness, clock-apiserver, sample-apiserver, scheduler-extender, metrics-server, silent and
// vish/stress,
// "sh -c SCRIPT" runs a script: statements with ; && || ! and new lines, if,
// while, until, for, break, { } and ( ), pipes, > >> < 2> 2>&1, variables,
// here-documents, arrays in bash, $(command), $((a+b)), set -e, set -o pipefail, trap … TERM, exec. The commands: sleep, echo,
// printf, cat, ls, touch, rm, mkdir, test, env, hostname, date, exit, true, false,
// kill, tail (-n +N, -f), yes, grep (of texts, with ^, $ and -E 'a|b'), tee, head, rev, wc, seq, ps, tar, hexdump -C, and over the network wget, curl, netstat,
// nslookup, nc (-u where the build has netexec's packets); timeout, and scripts in files; awk '{print $N}', ip, mount, sysctl and the files of
// cgroup v2 where the build has them. A shell doesn't hear SIGTERM without a trap: it is killed at the end
// of the grace period. A loop that does nothing burns a CPU. Virtual time passes
// while a script computes, and one that holds more than 8 MiB is taken to grow
// without end: it is killed at its memory limit, or at that of the machine
// (137, OOMKilled). See shell_budget.go.
//
// Annotations of a Pod say what a command can't: see StopsAfter, AnswersFrom, BreaksAfter.
//
// A container that uses more memory than its limit is killed (137, OOMKilled).
// What containers use is read with ListContainerStats.
//
// # The network
//
// A request that leaves a Pod goes to the Dialer; one that arrives at a Pod is
// handed to Serve. Both are defined here and wired by package cluster.
//
// Simplified: sandboxes have one IPv4 address, from the node's range, in order;
// scripts run nothing in the background; a command that isn't a shell's is at
// once done when it is executed in a container; CPU limits slow requests but no scripts;
// a mounted image shows only the files that the catalogue has of it, where the build has such mounts;
// a volume holds 10,000 files of at most 4 MiB;
// all containers of a Pod share a port space, and who was created first has the port.
// Absent: attach, port-forward, users; modes of files but of those of volumes and archives.
//
// Upstream: k8s.io/cri-api/pkg/apis/runtime/v1, and containerd's
// internal/cri/server.
package cri
