//go:build !js || cel

package kubectl

// hasRare says that this program has the commands that are rare.
const hasRare = true

// rareCommand is a command that, in the browser, only the larger build has.
func rareCommand(name string) func(*session) error {
	return map[string]func(*session) error{
		"auth":                          runGroup,
		"certificate":                   runGroup,
		"config":                        runGroup,
		"create secret":                 runGroup,
		"create service":                runGroup,
		"plugin":                        runGroup,
		"rollout":                       runGroup,
		"set":                           runGroup,
		"top":                           runGroup,
		"events":                        runEvents,
		"set resources":                 setResources,
		"create service clusterip":      createService,
		"create service externalname":   createService,
		"create service loadbalancer":   createService,
		"create service nodeport":       createService,
		"help":                          runHelp,
		"options":                       runOptions,
		"apply edit-last-applied":       editLastApplied,
		"apply set-last-applied":        setLastAppliedTo,
		"apply view-last-applied":       viewLastApplied,
		"attach":                        runAttach,
		"auth reconcile":                authReconcile,
		"autoscale":                     runAutoscale,
		"diff":                          runDiff,
		"certificate approve":           decideCertificate("Approved", "Denied", "KubectlApprove", "approve", "approved"),
		"certificate deny":              decideCertificate("Denied", "Approved", "KubectlDeny", "deny", "denied"),
		"completion":                    runCompletion,
		"config current-context":        config(currentContext),
		"config delete-cluster":         config(deleteEntry("clusters", "cluster")),
		"config delete-context":         config(deleteEntry("contexts", "context")),
		"config delete-user":            config(deleteEntry("users", "user")),
		"config get-clusters":           config(getNames("clusters")),
		"config get-contexts":           config(getContexts),
		"config get-users":              config(getNames("users")),
		"config rename-context":         config(renameContext),
		"config set":                    config(setProperty),
		"config set-cluster":            config(setEntry("clusters", "Cluster")),
		"config set-context":            config(setContext),
		"config set-credentials":        config(setEntry("users", "User")),
		"config unset":                  config(unsetProperty),
		"config use-context":            config(useContext),
		"config view":                   config(viewConfig),
		"cluster-info dump":             dumpCluster,
		"cp":                            runCp,
		"create cronjob":                createCronJob,
		"create ingress":                createIngress,
		"create poddisruptionbudget":    createPodDisruptionBudget,
		"create priorityclass":          createPriorityClass,
		"create quota":                  createQuota,
		"create secret docker-registry": createDockerSecret,
		"create secret tls":             createTLSSecret,
		"create token":                  createToken,
		"proxy":                         runProxy,
		"set selector":                  setSelector,
		"set serviceaccount":            setServiceAccount,
		"set subject":                   setSubject,
	}[name]
}

// aboutCommand is what a command is for.
func aboutCommand(name string) string { return abouts[name].text }

// aboutFlag is what a flag of a command's, or of every command's, is for.
func aboutFlag(command, name string) string {
	if text := flagTexts[command+" "+name]; text != "" {
		return text
	}
	return flagTexts[name]
}
