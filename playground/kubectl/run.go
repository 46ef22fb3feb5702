package kubectl

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"kubewalk/playground/api/metav1"
	"kubewalk/playground/sim"
)

// command is one of kubectl's, or a subcommand of one ("rollout undo").
type command struct {
	name  string
	flags string               // see parseSpec
	run   func(*session) error // nil in the table for those that are rare: see rareCommand
}

// Flags that many commands share.
const (
	fileFlags     = "filename,f* recursive,R?! kustomize,k= "
	selectorFlags = "selector,l= field-selector= all? all-namespaces,A? "
	dryRunFlag    = "dry-run=:unchanged@none "
	printFlags    = "output,o= template= allow-missing-template-keys?@true show-managed-fields? "
	writeFlags    = dryRunFlag + printFlags
	createFlags   = writeFlags + "field-manager=@kubectl-create validate=:strict save-config? "
	rolloutFlags  = fileFlags + printFlags + "field-manager=@kubectl-rollout selector,l= "
)

// commands are all of them. Each is in the file of its name.
var commands []command

// rare are the names of those that, in the browser, only the larger build has.
var rare = map[string]bool{}

// init, because the table leads to functions that look at it.
func init() {
	commands = []command{
		{"annotate", fileFlags + selectorFlags + writeFlags + "field-manager=@kubectl-annotate overwrite? list? resource-version= local?!", runAnnotate},
		{"api-resources", "api-group= namespaced?@true verbs* output,o= no-headers? categories* sort-by= cached? show-managed-fields?", runAPIResources},
		{"api-versions", "", runAPIVersions},
		{"apply", fileFlags + writeFlags +
			"field-manager=@kubectl-client-side-apply server-side? force-conflicts? overwrite?@true validate=:strict selector,l= wait? force? cascade=:background grace-period#@-1 timeout~ all? openapi-patch?! prune? prune-allowlist* subresource=!", runApply},
		{"apply edit-last-applied", "filename,f*! recursive,R?! kustomize,k=! " + printFlags + "windows-line-endings?! validate=:strict field-manager=@kubectl-client-side-apply", nil},
		{"apply set-last-applied", "filename,f* " + writeFlags + "create-annotation?", nil},
		{"apply view-last-applied", fileFlags + "output,o=@yaml selector,l= all?", nil},
		{"attach", "container,c= stdin,i? tty,t? quiet,q? detach-keys=! pod-running-timeout~@1m0s", nil},
		{"auth", "", nil},
		{"auth can-i", "all-namespaces,A? list? no-headers? quiet,q? subresource=", canI},
		{"auth reconcile", fileFlags + writeFlags + "remove-extra-permissions? remove-extra-subjects?", nil},
		{"auth whoami", printFlags, whoAmI},
		{"autoscale", fileFlags + writeFlags + "field-manager=@kubectl-autoscale min#@-1 max#@-1 cpu-percent#@-1 cpu= memory= name= save-config?!", nil},
		{"certificate", "", nil},
		{"certificate approve", fileFlags + printFlags + "force?", nil},
		{"certificate deny", fileFlags + printFlags + "force?", nil},
		{"cluster-info", "", runClusterInfo},
		{"cluster-info dump", "output,o=@json template= allow-missing-template-keys?@true show-managed-fields? namespaces* all-namespaces,A? output-directory=! pod-running-timeout~@20s", nil},
		{"completion", "", nil},
		{"config", "", nil},
		{"config current-context", "", nil},
		{"config delete-cluster", "", nil},
		{"config delete-context", "", nil},
		{"config delete-user", "", nil},
		{"config get-clusters", "", nil},
		{"config get-contexts", "no-headers? output,o=", nil},
		{"config get-users", "", nil},
		{"config rename-context", "", nil},
		{"config set", "set-raw-bytes?", nil},
		{"config set-cluster", "server= tls-server-name= insecure-skip-tls-verify? proxy-url= certificate-authority=! embed-certs?!", nil},
		{"config set-context", "current? cluster= user=", nil},
		{"config set-credentials", "token= username= password= client-certificate=! client-key=! embed-certs?! auth-provider=! auth-provider-arg*! exec-command=! " +
			"exec-api-version=! exec-arg*! exec-env*! exec-interactive-mode=! exec-provide-cluster-info?!", nil},
		{"config unset", "", nil},
		{"config use-context", "", nil},
		{"config view", "output,o=@yaml template= allow-missing-template-keys?@true show-managed-fields? merge?! flatten? minify? raw?!", nil},
		{"cordon", dryRunFlag + "selector,l=", runCordon},
		{"cp", "container,c= no-preserve? retries#", nil},
		{"create", fileFlags + createFlags + "edit?! raw= selector,l=! windows-line-endings?!", runCreate},
		{"create clusterrole", createFlags + "verb* resource* resource-name* non-resource-url* aggregation-rule*@" + noDefault, createClusterRole},
		{"create clusterrolebinding", createFlags + "clusterrole= user* group* serviceaccount*", createClusterRoleBinding},
		{"create configmap", createFlags + "from-literal* from-file* append-hash? from-env-file*", createConfigMap},
		{"create cronjob", createFlags + "image= schedule= restart=", nil},
		{"create deployment", createFlags + "image* replicas,r#@1 port#@-1", createDeployment},
		{"create ingress", createFlags + "class= rule* default-backend= annotation*", nil},
		{"create job", createFlags + "image= from=", createJob},
		{"create namespace", createFlags, createNamespace},
		{"create poddisruptionbudget", createFlags + "selector= min-available= max-unavailable=", nil},
		{"create priorityclass", createFlags + "value# global-default? description= preemption-policy=@PreemptLowerPriority", nil},
		{"create quota", createFlags + "hard= scopes=", nil},
		{"create role", createFlags + "verb* resource* resource-name*", createRole},
		{"create rolebinding", createFlags + "role= clusterrole= user* group* serviceaccount*", createRoleBinding},
		{"create secret", "", nil},
		{"create secret docker-registry", createFlags + "docker-username= docker-password= docker-email= docker-server=@https://index.docker.io/v1/ from-file* append-hash?",
			nil},
		{"create secret generic", createFlags + "from-literal* from-file* type= append-hash? from-env-file*", createSecret},
		{"create secret tls", createFlags + "cert= key= append-hash?", nil},
		{"create service", "", nil},
		{"create service clusterip", createFlags + "tcp* clusterip=", nil},
		{"create service externalname", createFlags + "external-name= tcp*", nil},
		{"create service loadbalancer", createFlags + "tcp*", nil},
		{"create service nodeport", createFlags + "tcp* node-port#", nil},
		{"create serviceaccount", createFlags, createServiceAccount},
		{"create token", printFlags + "audience* duration~ bound-object-kind= bound-object-name= bound-object-uid=", nil},
		{"debug", debugFlags, runDebug},
		{"delete", fileFlags + selectorFlags + dryRunFlag + "output,o= cascade=:background force? grace-period#@-1 ignore-not-found? now? timeout~ wait?@true interactive,i?! raw=",
			runDelete},
		{"describe", fileFlags + "selector,l= all-namespaces,A? show-events?@true chunk-size#@500", runDescribe},
		{"diff", fileFlags + "show-managed-fields? show-secrets? server-side? force-conflicts? field-manager=@kubectl-client-side-apply concurrency#@1! " +
			"selector,l=! prune?! prune-allowlist*!", nil},
		{"drain", dryRunFlag + "selector,l= delete-emptydir-data? disable-eviction? force? grace-period#@-1 ignore-daemonsets? pod-selector= skip-wait-for-delete-timeout# timeout~ chunk-size#!", runDrain},
		{"edit", "filename,f*! recursive,R?! kustomize,k=! output,o=! show-managed-fields?! output-patch?! windows-line-endings?! save-config?! subresource= " +
			"validate=:strict field-manager=@kubectl-edit template=! allow-missing-template-keys?!", runEdit},
		{"events", "all-namespaces,A? for= types* watch,w? output,o= no-headers? chunk-size#! template=! allow-missing-template-keys?! show-managed-fields?!", nil},
		{"exec", "container,c= stdin,i? tty,t? quiet,q? pod-running-timeout~@1m0s filename,f*!", runExec},
		{"explain", "recursive,R? api-version= output,o=@plaintext", runExplain},
		{"expose", fileFlags + writeFlags + "field-manager=@kubectl-expose name= port= target-port= type= protocol= selector= labels,l= cluster-ip= external-ip= session-affinity= load-balancer-ip=! overrides=! override-type=! save-config?!",
			runExpose},
		{"get", fileFlags + "output,o= template= allow-missing-template-keys?@true selector,l= field-selector= all-namespaces,A? no-headers? show-labels? label-columns,L* sort-by= ignore-not-found? show-kind? show-managed-fields? watch,w? watch-only? chunk-size#@500 subresource= server-print?@true raw= output-watch-events?", runGet},
		{"help", "", nil},
		{"kustomize", "as-current-user?! enable-alpha-plugins?! enable-helm?! env,e*! helm-api-versions*! helm-command=! helm-debug?! helm-kube-version=! " +
			"load-restrictor=! mount*! network?! network-name=! output,o=!", runKustomize},
		{"label", fileFlags + selectorFlags + writeFlags + "field-manager=@kubectl-label overwrite? list? resource-version= local?!", runLabel},
		{"logs", "container,c= follow,f? previous,p? since~ since-time= tail#@-1 timestamps? selector,l= all-containers? prefix? limit-bytes# ignore-errors? max-log-requests#@5 all-pods? insecure-skip-tls-verify-backend?! pod-running-timeout~!", runLogs},
		{"options", "", nil},
		{"patch", fileFlags + writeFlags + "field-manager=@kubectl-patch patch,p= type=@strategic subresource= patch-file=! local?!", runPatch},
		{"replace", fileFlags + writeFlags + "field-manager=@kubectl-replace force? cascade=:background grace-period#@-1 timeout~ wait? validate=:strict subresource= save-config? raw=", runReplace},
		{"plugin", "", nil},
		{"plugin list", "name-only?", listPlugins},
		{"port-forward", "address*@[localhost] pod-running-timeout~@1m0s", runPortForward},
		{"proxy", "accept-hosts=! accept-paths=! address=@127.0.0.1 api-prefix=@/ append-server-path?! disable-filter?! keepalive~! port,p#@8001 reject-methods=! reject-paths=! " +
			"unix-socket,u=! www,w=! www-prefix,P=!", nil},
		{"rollout", "", nil},
		{"rollout history", fileFlags + "revision# output,o= selector,l= template=! allow-missing-template-keys?! show-managed-fields?!", rolloutHistory},
		{"rollout pause", rolloutFlags, rolloutPause},
		{"rollout restart", rolloutFlags, rolloutRestart},
		{"rollout resume", rolloutFlags, rolloutResume},
		{"rollout status", fileFlags + "watch,w?@true timeout~ revision# selector,l=", rolloutStatus},
		{"rollout undo", fileFlags + dryRunFlag + printFlags + "to-revision# selector,l=", rolloutUndo},
		{"run", writeFlags + "field-manager=@kubectl-run image= restart=@Always command? port= expose? env* labels,l= annotations* image-pull-policy= overrides= stdin,i? tty,t? rm? attach? quiet,q? privileged? filename,f*! recursive,R?! kustomize,k=! cascade=! detach-keys=! force?! grace-period#! leave-stdin-open?! override-type=! pod-running-timeout~! save-config?! timeout~! wait?!", runRun},
		{"scale", fileFlags + dryRunFlag + "output,o= replicas# current-replicas#@-1 resource-version= timeout~ selector,l= all? template=! allow-missing-template-keys?! show-managed-fields?!", runScale},
		{"set", "", nil},
		{"set env", fileFlags + writeFlags + "field-manager=@kubectl-set selector,l= all? containers,c=@* env,e* list? overwrite?@true from= keys*! prefix= resolve?! local?!", setEnv},
		{"set image", fileFlags + writeFlags + "field-manager=@kubectl-set selector,l= all? local?!", setImage},
		{"set resources", fileFlags + writeFlags + "field-manager=@kubectl-set selector,l= all? containers,c=@* limits= requests= local?!", nil},
		{"set selector", "filename,f* recursive,R?! " + writeFlags + "field-manager=@kubectl-set all? resource-version=! local?!", nil},
		{"set serviceaccount", fileFlags + writeFlags + "field-manager=@kubectl-set all? local?!", nil},
		{"set subject", fileFlags + writeFlags + "field-manager=@kubectl-set selector,l= all? user* group* serviceaccount* local?!", nil},
		{"taint", dryRunFlag + printFlags + "selector,l= all? overwrite? field-manager=@kubectl-taint validate=:strict", runTaint},
		{"top", "", nil},
		{"top node", "selector,l= no-headers? sort-by= show-capacity? use-protocol-buffers?@true show-swap?!", topNode},
		{"top pod", "selector,l= field-selector= all-namespaces,A? containers? no-headers? sort-by= sum?! use-protocol-buffers?@true show-swap?!", topPod},
		{"uncordon", dryRunFlag + "selector,l=", runUncordon},
		{"version", "client? output,o=", runVersion},
		{"wait", "filename,f* recursive,R?! " + selectorFlags + "for* timeout~@30s output,o= local?! template=! allow-missing-template-keys?! show-managed-fields?!", runWait},
	}
	for i := range commands {
		if c := &commands[i]; c.run == nil {
			rare[c.name], c.run = true, rareCommand(c.name)
		}
	}
}

// aliases are the other names of commands.
var aliases = map[string]string{
	"create cm": "create configmap", "create deploy": "create deployment", "create ns": "create namespace", "create svc": "create service",
	"create pdb": "create poddisruptionbudget", "create pc": "create priorityclass", "create resourcequota": "create quota",
	"create sa": "create serviceaccount", "create cj": "create cronjob",
	"top nodes": "top node", "top no": "top node", "top pods": "top pod", "top po": "top pod",
}

// invocation is a command line that was understood.
type invocation struct {
	*command
	args  []string // without flags
	rest  []string // behind --; nil without it
	flags values
	topic string // of help
}

// ArgumentError is a command line that kubectl refuses before it does anything.
// Arg is the number of the argument that it is about.
type ArgumentError struct {
	Arg     int
	Message string
	// Cure are the names that would have been right, when a name is what is wrong.
	Cure []string
}

func (e *ArgumentError) Error() string { return e.Message }

// Check says what is wrong with a command line, without running it: unknown
// commands and flags. The error is an *ArgumentError.
func Check(args []string) error {
	_, err := parse(args)
	return err
}

// tooLong says what a shell says of a command line with which the kernel starts no program.
// Upstream: Linux, MAX_ARG_STRLEN, and fs/exec.c, bprm_stack_limits, with a stack of 8 MiB.
func tooLong(args []string) error {
	const mostArgument, mostArguments = 128 << 10, 2 << 20
	all := 0
	for i, a := range args {
		if all += len(a) + 1 + 8; len(a) >= mostArgument || all > mostArguments { // each has a 0 behind it, and a pointer
			return &ArgumentError{i, "bash: kubectl: Argument list too long", nil}
		}
	}
	return nil
}

// parse finds the command and its flags.
// Upstream: github.com/spf13/cobra, Command.Find and ExecuteC.
func parse(args []string) (*invocation, error) {
	if err := tooLong(args); err != nil {
		return nil, err
	}
	line := args
	// Global flags may stand before the command.
	at := 0
	for at < len(line) && strings.HasPrefix(line[at], "-") {
		if _, err := oneGlobal(line, &at); err != nil {
			return nil, err
		}
	}
	before, _, _, err := parseFlags("", line[:at], 0)
	if err != nil {
		return nil, &ArgumentError{Message: "error: " + err.Error()}
	}
	if at == len(line) {
		return helpAbout(""), nil
	}
	if line[at] == completeName || line[at] == completeName+"NoDesc" { // it takes all that follows as it is
		return &invocation{command: &command{name: line[at], run: runComplete}, args: line[at+1:]}, nil
	}
	var c *command
	path, n := "", at // n: behind the longest name of words that is a command; global flags may stand among them
	for i := at; i < len(line) && (c == nil || len(names(c.name)) > 0); i++ {
		if strings.HasPrefix(line[i], "-") {
			if _, err := oneGlobal(line, &i); err != nil {
				break
			}
			i--
			continue
		}
		path = strings.TrimSpace(path + " " + line[i])
		if to := aliases[path]; to != "" {
			path = to
		}
		if why := absent[path]; why != "" {
			return nil, &ArgumentError{Arg: i, Message: fmt.Sprintf("error: kubectl %s is absent here: %s", path, why)}
		}
		found := lookup(path)
		if found == nil {
			break
		}
		line = slices.Concat(line[:n], line[i:i+1], line[n:i], line[i+1:])
		c, n = found, n+1
	}
	if c == nil {
		return nil, unknownCommand(line, at)
	}
	given, arguments, rest, err := parseFlags(c.flags, line, n)
	if err != nil {
		e := err.(*flagError)
		var cure []string
		if strings.HasPrefix(e.message, "unknown flag") {
			for _, f := range parseSpec(c.flags + " " + globalFlags) {
				cure = append(cure, "--"+f.name)
			}
		}
		return nil, &ArgumentError{Arg: e.arg, Message: fmt.Sprintf("error: %s\nSee 'kubectl %s --help' for usage.", e.message, c.name), Cure: cure}
	}
	for name, all := range before { // order: each has its own key
		given[name] = append(all, given[name]...)
	}
	if c.name == "help" {
		return helpFor(line, n, arguments)
	}
	if given.yes("help") {
		return helpAbout(c.name), nil
	}
	if len(arguments) > 0 && c.isGroup() && c.name != "certificate" {
		return nil, &ArgumentError{Arg: indexOf(line, n, arguments[0]), Message: "error: " + unknownBelow(c.name, arguments), Cure: names(c.name)}
	}
	return &invocation{command: c, args: arguments, rest: rest, flags: given}, nil
}

// oneGlobal moves at past a global flag.
func oneGlobal(line []string, at *int) (values, error) {
	for end := *at + 1; end <= len(line) && end <= *at+2; end++ {
		if v, arguments, _, err := parseFlags("", line[:end], *at); err == nil && len(arguments) == 0 {
			*at = end
			return v, nil
		} else if end == *at+2 || end == len(line) {
			if err == nil {
				err = fmt.Errorf("unknown flag: %s", line[*at])
			}
			return nil, &ArgumentError{Arg: *at, Message: fmt.Sprintf("error: %v\nSee 'kubectl --help' for usage.", err)}
		}
	}
	return nil, nil
}

func lookup(name string) *command {
	for i := range commands {
		if commands[i].name == name {
			return &commands[i]
		}
	}
	return nil
}

// names are the words that may follow those of a command.
func names(path string) []string {
	var out []string
	for _, c := range commands {
		rest := c.name
		if path != "" {
			var ok bool
			if rest, ok = strings.CutPrefix(c.name, path+" "); !ok {
				continue
			}
		}
		first, _, _ := strings.Cut(rest, " ")
		if len(out) == 0 || out[len(out)-1] != first {
			out = append(out, first)
		}
	}
	return out
}

// session is one command as it runs.
type session struct {
	Command
	*invocation
	p     *sim.Proc
	stdin []byte // what -f reads, whatever it is called; JSON
	file  string // what it is called

	namespace string // what -n says, or "default"
	enforced  bool   // -n was given
	dryRun    string // "", "client" or "server"
	widths    widths // of the columns that were printed
	out, err  strings.Builder
	stopped   bool            // it went on until the next command
	typed     bool            // what is printed is of a type, whose order of fields -o json and -o kyaml keep
	verbose   strings.Builder // with -v=6 and more: what klog wrote and what was printed, in the order of a terminal
}

// Result is what a command printed, and whether it went well.
type Result struct {
	Stdout, Stderr string
	Failed         bool
}

// Run runs a command line, without the word kubectl. manifest is what -f reads,
// as JSON: an object, a List, or a list of objects.
func (c Command) Run(p *sim.Proc, args []string, manifest []byte) Result {
	inv, err := parse(args)
	if err != nil {
		return Result{Stderr: err.Error(), Failed: true}
	}
	return c.run(p, inv, manifest)
}

func (c Command) run(p *sim.Proc, inv *invocation, manifest []byte) Result {
	s := &session{Command: c, invocation: inv, p: p, stdin: manifest, namespace: cmp.Or(c.namespace, metav1.NamespaceDefault)}
	if namespace := inv.flags.text("namespace"); namespace != "" {
		s.namespace, s.enforced = namespace, true
	}
	if c.terminal != nil && c.terminal.interrupt != nil {
		stop := c.terminal.interrupt
		c.terminal.interrupt = nil
		(*stop)()
	}
	err := s.start()
	if err == nil {
		err = inv.command.run(s)
	}
	if err != nil && !errors.Is(err, errExit) {
		s.complain(message(err))
	}
	r := s.printed()
	r.Failed = err != nil
	return r
}

// printed is what the command has printed so far.
func (s *session) printed() Result {
	stdout := s.out.String()
	if s.verbose.Len() > 0 {
		stdout = s.verbose.String()
	}
	return Result{Stdout: strings.TrimSuffix(stdout, "\n"), Stderr: strings.TrimRight(s.err.String(), "\n")}
}

// errExit ends a command that has said all already.
// Upstream: kubectl pkg/cmd/util/helpers.go, ErrExit.
var errExit = errors.New("exit")

// start reads flags that mean the same for every command.
func (s *session) start() error {
	if err := s.connect(); err != nil {
		return err
	}
	if err := s.impersonate(); err != nil {
		return err
	}
	if text := s.flags.text("request-timeout"); text != "" {
		if _, err := strconv.Atoi(text); err != nil {
			if _, err := time.ParseDuration(text); err != nil {
				return errors.New("Invalid timeout value. Timeout must be a single integer in seconds, or an integer followed by a corresponding time unit (e.g. 1s | 2m | 3h)")
			}
		}
	}
	s.withTemplate()
	if folder := s.flags.text("kustomize"); folder != "" {
		if err := s.kustomized(folder); err != nil {
			return err
		}
	} else if files := s.flags.all("filename"); len(files) > 0 {
		if s.file = files[0]; s.file == "-" {
			s.file = stdin
		}
		switch {
		case len(s.stdin) > 0:
		case s.file == stdin:
			return fmt.Errorf("no objects passed to %s", strings.Fields(s.name)[0])
		default:
			return fmt.Errorf("the path %q does not exist", s.file)
		}
	}
	switch mode := s.flags.or("dry-run", "none"); mode {
	case "none", "false":
	case "client", "server":
		s.dryRun = mode
	case "unchanged", "true":
		s.dryRun = "client"
		s.warn("--dry-run is deprecated and can be replaced with --dry-run=client.")
	default:
		return fmt.Errorf(`Invalid dry-run value (%s). Must be "none", "server", or "client".`, mode)
	}
	return nil
}

// printf prints a line or several, as one piece.
func (s *session) printf(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	s.out.WriteString(text)
	if s.verbosity() >= showTiming {
		s.verbose.WriteString(text)
	}
	if text = strings.TrimRight(text, " \n"); text != "" {
		s.p.Logger().Info(text)
	}
}

// note prints to standard error, and who looks at the terminal sees it.
func (s *session) note(text string) {
	s.complain(text)
	s.p.Logger().Info(text)
}

// complain prints to standard error.
func (s *session) complain(text string) {
	s.err.WriteString(strings.TrimRight(text, "\n") + "\n")
}

// warn is a warning on standard error.
// Upstream: cli-runtime pkg/printers/warningprinter.go.
func (s *session) warn(text string) {
	s.complain("Warning: " + text)
	s.p.Logger().Info("Warning: " + text)
}

// done says what was done to an object: "deployment.apps/web scaled".
// Upstream: cli-runtime pkg/printers/name.go, NamePrinter.PrintObj.
func (s *session) done(what, did string) {
	if s.flags.text("output") == "name" {
		s.printf("%s\n", what)
		return
	}
	switch s.dryRun {
	case "client":
		did += " (dry run)"
	case "server":
		did += " (server dry run)"
	}
	s.printf("%s %s\n", what, did)
}

// Name is the command of a command line that Check has found right: "rollout undo".
func Name(args []string) string {
	if inv, err := parse(args); err == nil {
		return inv.name
	}
	return strings.Join(args, " ")
}

// Files are what -f names in a command line that Check has found right.
func Files(args []string) []string {
	inv, err := parse(args)
	if err != nil {
		return nil
	}
	return inv.flags.all("filename")
}
