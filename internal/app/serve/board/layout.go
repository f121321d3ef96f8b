package board

// The layout, in words of 64 bits: the service's record, then those of domains, meters, decisions,
// tenants, and users who may take leases. The first word of each is twice its number of writings.
const (
	MaxTenants = 4096 // tenants with a record of their own
	maxDomains = 256
	maxZones   = 64
	// Decisions is the number of the newest decisions that are kept.
	Decisions = 512

	// allowedRecords bounds the named users who may take leases.
	allowedRecords = 8

	// Other is the common record of tenants that have lost their own.
	Other = MaxTenants

	serviceWords  = 64
	domainWords   = 32
	zoneWords     = 24
	decisionWords = 32
	tenantWords   = 64
	allowedWords  = 64

	domainsAt   = serviceWords
	zonesAt     = domainsAt + maxDomains*domainWords
	decisionsAt = zonesAt + maxZones*zoneWords
	tenantsAt   = decisionsAt + Decisions*decisionWords
	allowedAt   = tenantsAt + (MaxTenants+1)*tenantWords
	words       = allowedAt + allowedRecords*allowedWords

	// memorySize is the size of the memory. Pages that were never written take none.
	memorySize = (words*8 + 1<<16 - 1) &^ (1<<16 - 1)
)
