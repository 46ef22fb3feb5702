package corpus

import "strings"

// What sentences are made of. They say nothing; they are as long as those of people.
var (
	nouns = strings.Fields(`controller scheduler kubelet queue cache watch lease node replica deployment service endpoint
		probe volume claim namespace finalizer owner selector label informer revision conflict event backoff budget taint
		affinity quota rollout container image registry socket packet certificate webhook manifest snapshot election`)
	verbs = strings.Fields(`reconciles observes deletes creates updates binds evicts retries waits lists patches mounts
		drains renews resolves counts compares forgets follows answers rejects admits schedules restarts`)
	adjectives = strings.Fields(`new old stale slow ready pending failed desired current shared empty first last small
		large local remote optimistic expired unknown healthy`)
	little = strings.Fields(`when while because until after before although so and but where unless once`)
)
