# Detection script of the remediation "Collect crash evidence". Exit code 1 asks Intune to run the remediation script.
# It changes nothing. Its output, which Intune shows, holds numbers only.

$ErrorActionPreference = 'Stop'
$Days = 7
$Stamp = Join-Path $env:ProgramData 'crashsift\collected.txt'

try {
    $from = (Get-Date).AddDays(-$Days)
    # What was collected already is not asked for again.
    if (Test-Path -LiteralPath $Stamp) {
        $last = (Get-Item -LiteralPath $Stamp).LastWriteTime
        if ($last -gt $from) { $from = $last }
    }
    $queries = @(
        @{ LogName = 'Application'; ProviderName = 'Application Error'; Id = 1000; StartTime = $from },
        @{ LogName = 'Application'; ProviderName = 'Application Hang'; Id = 1002; StartTime = $from },
        @{ LogName = 'System'; ProviderName = 'Microsoft-Windows-WER-SystemErrorReporting'; Id = 1001; StartTime = $from },
        @{ LogName = 'System'; ProviderName = 'Microsoft-Windows-Kernel-Power'; Id = 41; StartTime = $from }
    )
    $counts = @()
    foreach ($query in $queries) {
        # Get-WinEvent ends with an error where there is no such event, or no such provider.
        $counts += @(Get-WinEvent -FilterHashtable $query -ErrorAction SilentlyContinue).Count
    }
    $sum = ($counts | Measure-Object -Sum).Sum
    Write-Output ('crashes {0}, hangs {1}, blue screens {2}, unclean restarts {3} in {4} days' -f ($counts + $Days))
    if ($sum -gt 0) { exit 1 }
    exit 0
} catch {
    # Exit code 0: a computer whose logs can't be read should not collect every day.
    Write-Output ('not known: ' + $_.Exception.GetType().Name)
    exit 0
}
