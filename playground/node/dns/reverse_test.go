//go:build !js || cel

package dns

func init() {
	reversed = func(d string) []lookupTest {
		return []lookupTest{
			{"20.0.96.10.in-addr.arpa", "PTR", "NOERROR PTR web" + d},
			{"20.0.96.10.in-addr.arpa", "A", "NOERROR"},
			{"2.1.244.10.in-addr.arpa", "PTR", "NOERROR PTR db-0.peers" + d},
			{"2.2.244.10.in-addr.arpa", "PTR", "NOERROR PTR 10-244-2-2.peers" + d},
			{"2.3.244.10.in-addr.arpa", "PTR", "not ours"},
			{"web.in-addr.arpa", "PTR", "not ours"},
		}
	}
}
