
rem ---------------------------------------------------------------------------------------------------------------------
rem Collects what is needed to find out why a program or this PC crashed, into one zip file on the Desktop. For PCs on
rem which PowerShell scripts may not run; the PowerShell script collects more.
rem
rem - It changes nothing on this PC: it copies files, and removes its own temporary folder.
rem - It needs no administrator. It lists what it could not read; as administrator it can read more.
rem - It takes event logs of the time above, error reports, dumps of at most 16 MB, the list of drivers, dxdiag, and
rem   nvidia-smi where there is an NVIDIA card. It takes no documents. Look into the zip file before you send it.
rem
rem To run it: double-click the file.
rem ---------------------------------------------------------------------------------------------------------------------

set "WORK=%TEMP%\crash-evidence-%RANDOM%%RANDOM%"
set "MAXFILE=5242880"
set "MAXDUMP=16777216"
if "%MEMORYDUMPS%"=="1" set "MAXDUMP=1099511627776"
mkdir "%WORK%\Logs"
if not exist "%WORK%\Logs" goto :failed
set "LIST=%WORK%\collected.txt"
set "COPY=/R:0 /W:0 /NJH /NJS /NP /NDL"
set "BEGIN="
if defined PROGRAM set "BEGIN=%PROGRAM:~0,15%"

echo Event logs
call :log "Application" "Application.evtx" "Provider[%PROVIDERS%] and "
call :log "System" "System.evtx" ""
for %%C in (%CHANNELS%) do call :channel %%C

echo Error reports and dumps
for %%B in ("%ProgramData%" "%LOCALAPPDATA%") do for %%K in (ReportArchive ReportQueue) do call :reports "%%~B\Microsoft\Windows\WER\%%K" "%%K"
call :dumps "%LOCALAPPDATA%\CrashDumps" "CrashDumps" "%BEGIN%*.dmp"
call :dumps "%SystemRoot%\System32\config\systemprofile\AppData\Local\CrashDumps" "CrashDumps" "%BEGIN%*.dmp"
call :dumps "%SystemRoot%\Minidump" "Minidump" "*.dmp"
call :dumps "%SystemRoot%\LiveKernelReports" "LiveKernelReports" "*.dmp"
if "%MEMORYDUMPS%"=="1" call :dumps "%SystemRoot%" "Windows" "MEMORY.DMP"

echo Drivers, graphics and system
driverquery /v /fo csv > "%WORK%\drivers.csv" 2>&1
start "" /wait dxdiag /whql:off /t "%WORK%\dxdiag.txt"
if exist "%SystemRoot%\System32\nvidia-smi.exe" "%SystemRoot%\System32\nvidia-smi.exe" -q > "%WORK%\nvidia-smi.txt" 2>&1

echo Taken: >> "%LIST%"
dir /s /a-d "%WORK%" >> "%LIST%" 2>&1
type "%LIST%"
set "ZIP=%USERPROFILE%\Desktop\crash-evidence-%COMPUTERNAME%-%RANDOM%.zip"
if not exist "%USERPROFILE%\Desktop" set "ZIP=%CD%\crash-evidence-%COMPUTERNAME%-%RANDOM%.zip"
tar.exe -a -c -f "%ZIP%" -C "%WORK%" . 2>nul
if errorlevel 1 goto :nozip
rmdir /s /q "%WORK%"
echo Done: "%ZIP%". Look into it, then send it.
goto :end

:nozip
echo This Windows cannot make a zip file by itself. Right-click the folder, choose "Send to" and "Compressed folder", and
echo send that file: "%WORK%"
explorer.exe /select,"%WORK%"
goto :end

:failed
echo No folder for temporary files could be made.
goto :end

rem A log of the time. %1 is the channel, %2 the file, %3 the filter of providers.
:log
wevtutil epl "%~1" "%WORK%\Logs\%~2" "/q:*[System[%~3%TIMES%]]" /ow:true >nul 2>&1
if errorlevel 1 echo not readable: log %~1 >> "%LIST%"
exit /b 0

rem A log of a component. %1 is the channel.
:channel
set "NAME=%~1"
set "NAME=%NAME:/=_%"
call :log "%~1" "%NAME%.evtx" ""
exit /b 0

rem Reports below a folder. %1 is the folder, %2 the kind.
:reports
if not exist "%~1" exit /b 0
for /d %%D in ("%~1\*%BEGIN%*" "%~1\Kernel_*") do robocopy "%%D" "%WORK%\WER\%~2\%%~nxD" Report.wer *.txt *.xml *.csv /MAX:%MAXFILE% /MAXAGE:%SINCE% %COPY% >nul
for /d %%D in ("%~1\*%BEGIN%*" "%~1\Kernel_*") do robocopy "%%D" "%WORK%\WER\%~2\%%~nxD" *.dmp *.mdmp /MAX:%MAXDUMP% /MAXAGE:%SINCE% %COPY% >nul
exit /b 0

rem Dumps in a folder. %1 is the folder, %2 the name of the copy, %3 the files.
:dumps
if not exist "%~1" exit /b 0
robocopy "%~1" "%WORK%\%~2" "%~3" /MAX:%MAXDUMP% /MAXAGE:%SINCE% %COPY% >nul
if errorlevel 8 echo not readable: "%~1" >> "%LIST%"
exit /b 0

:end
if not "%1"=="/nowait" pause
endlocal
