package authenticationv1

// TokenIssuer is who issues the tokens of service accounts, and their audience if they name none.
// Upstream: kube-apiserver --service-account-issuer, as kubeadm has it.
const TokenIssuer = "https://kubernetes.default.svc.cluster.local"
